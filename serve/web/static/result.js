"use strict";
// Everything here is comfort: without it citations are anchors, marks are toggled by the checkbox, boxes are links.
const partners = (number) => document.querySelectorAll(`[data-instrument="${Number(number)}"]`);

for (const one of document.querySelectorAll("[data-instrument]")) {
  const light = (on) => partners(one.dataset.instrument).forEach((partner) => partner.classList.toggle("lit", on));
  one.addEventListener("pointerenter", () => light(true));
  one.addEventListener("pointerleave", () => light(false));
  one.addEventListener("focusin", () => light(true));
  one.addEventListener("focusout", () => light(false));
}

const marks = document.getElementById("marks");
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (event.key !== "m" || event.ctrlKey || event.metaKey || event.altKey || typing || !marks) return;
  marks.checked = !marks.checked;
});

const dialog = document.getElementById("passage");
const shown = dialog.querySelector("div");
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cite");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const source = document.getElementById(link.hash.slice(1));
  if (!source || typeof dialog.showModal !== "function") return;
  event.preventDefault();
  shown.replaceChildren(...[...source.childNodes].map((node) => node.cloneNode(true)));
  document.getElementById("passage-title").textContent = `[${link.textContent}]`;
  dialog.showModal();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
