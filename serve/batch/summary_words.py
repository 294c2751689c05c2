"""The words of a batch's summary page, English and Chinese."""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "zh"]

WORDS: dict[str, tuple[str, str]] = {
    "title": ("Batch of photos", "批量读取结果"),
    "photos": ("Photos", "照片"),
    "read": ("read", "已读取"),
    "abstained": ("not read", "未读取"),
    "errors": ("could not be opened or failed", "无法打开或出错"),
    "instruments": ("instruments", "仪表"),
    "duplicates": ("with the same bytes as another one", "与其他照片内容相同"),
    "earlier": ("read by an earlier run", "之前已读取"),
    "left": ("not done yet", "尚未处理"),
    "repeated": ("named more than once, taken once", "重复列出，只读取一次"),
    "other_files": ("other files left aside", "其他文件，未处理"),
    "seconds": ("seconds for this run", "秒（本次运行）"),
    "why_not": ("Why not read", "未读取的原因"),
    "reason": ("Reason", "原因"),
    "count": ("Count", "数量"),
    "by_model": ("By model", "按型号"),
    "model": ("Model", "型号"),
    "no_model": ("model not known", "型号未知"),
    "failed": ("Photos that could not be opened or failed", "无法打开或出错的照片"),
    "photo": ("Photo", "照片"),
    "folders": ("Folders that were skipped", "跳过的文件夹"),
    "folder": ("Folder", "文件夹"),
    "worst": ("To look at first", "优先查看"),
    "worst_lead": (
        "Photos of which something was not read, then those with the lowest confidence.",
        "先列出有仪表未读取的照片，再按置信度从低到高排列。",
    ),
    "no_picture": ("The photo is not there, or not the one that was read.", "照片已不存在，或已不是当时读取的照片。"),
    "estimate": (
        "A reading is an estimate from one photo. Do not let it alone decide about safety.",
        "读数是根据一张照片得出的估计，涉及安全的决定不可仅以此为依据。",
    ),
}
