"use strict";
// Photos are sent one by one, so that each has its own progress and a bad one does not stop the rest.
// Everything from outside is set as text, never as markup: names of files and reasons are not trusted.
const form = document.getElementById("upload");
const words = JSON.parse(form.dataset.words);
const drop = document.getElementById("drop");
const list = document.getElementById("chosen");
const state = document.getElementById("state");
const send = document.getElementById("send");
const most = Number(form.dataset.most);
const TRIES_WHEN_BUSY = 8;
let photos = [];
let working = false;
document.documentElement.classList.add("scripted");

function say(name, slots = {}) {
  return Object.entries(slots).reduce((text, [slot, value]) => text.replace(`{${slot}}`, () => value), words[name]);
}

function add(parent, tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function showChoice() {
  list.hidden = photos.length === 0;
  const count = photos.filter((photo) => !photo.report).length;
  send.textContent = count > 1 ? say("read_count", { count }) : words.read_now;
}

function take(files) {
  if (working) return;
  state.textContent = "";
  if (photos.some((photo) => photo.report)) clear();
  for (const file of files) {
    if (file.type && !file.type.startsWith("image/")) {
      state.textContent = say("not_a_picture", { name: file.name });
      continue;
    }
    if (photos.length >= most) {
      state.textContent = say("too_many", { count: most });
      break;
    }
    photos.push(row({ file, key: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`.replace(".", "") }));
  }
  showChoice();
  if (photos.length && !matchMedia("(hover: none)").matches) send.focus();
}

function row(photo) {
  const item = add(list, "li");
  const image = add(item, "img");
  image.alt = "";
  image.src = URL.createObjectURL(photo.file);
  image.addEventListener("error", () => image.removeAttribute("src"));
  add(item, "span", "name", photo.file.name);
  const remove = add(item, "button", "", "×");
  remove.type = "button";
  remove.setAttribute("aria-label", say("remove", { name: photo.file.name }));
  remove.addEventListener("click", () => {
    photos = photos.filter((one) => one !== photo);
    URL.revokeObjectURL(image.src);
    item.remove();
    showChoice();
    document.getElementById("file").focus();
  });
  return Object.assign(photo, { item, remove, told: add(item, "span", "told"), bar: null });
}

function clear() {
  photos = [];
  list.replaceChildren();
}

function tell(photo, text, kind = "") {
  photo.told.className = `told ${kind}`;
  photo.told.textContent = text;
}

// XMLHttpRequest, because fetch does not tell how much has been sent.
function post(photo) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.responseType = "json";
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Idempotency-Key", photo.key);
    let since = null;
    const clock = setInterval(() => {
      if (since !== null) tell(photo, say("reading", { seconds: Math.round((performance.now() - since) / 1000) }));
    }, 1000);
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      photo.bar.value = event.loaded / event.total;
      tell(photo, say("sending", { percent: Math.round((100 * event.loaded) / event.total) }));
    });
    request.upload.addEventListener("load", () => {
      since = performance.now();
      photo.bar.removeAttribute("value");
      tell(photo, say("reading", { seconds: 0 }));
    });
    request.addEventListener("loadend", () => clearInterval(clock));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => reject(new Error(words.failed_send)));
    const body = new FormData();
    body.append("file", photo.file, photo.file.name);
    for (const name of ["model", "place", "language"]) body.append(name, form.elements[name].value);
    request.send(body);
  });
}

async function read(photo) {
  photo.remove.hidden = true;
  photo.bar?.remove();
  photo.bar = document.createElement("progress");
  photo.bar.max = 1;
  photo.item.append(photo.bar);
  try {
    for (let tries = 1; ; tries += 1) {
      const request = await post(photo);
      const answer = request.response;
      if ((request.status === 503 || request.status === 429) && tries < TRIES_WHEN_BUSY) {
        const seconds = Math.min(Number(request.getResponseHeader("Retry-After")) || 5, 60);
        tell(photo, say("busy_server", { seconds }));
        await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
        continue;
      }
      if (request.status === 401) {
        location.reload();
        return;
      }
      if (!answer?.reports?.length) {
        tell(photo, answer?.detail ?? `${words.failed} (${request.status})`, "bad");
        return;
      }
      photo.report = answer.reports[0];
      tell(photo, "", "well");
      const link = add(photo.told, "a", "", photo.report.shown);
      link.href = photo.report.href;
      return;
    }
  } catch (error) {
    tell(photo, error.message, "bad");
  } finally {
    photo.bar.remove();
    photo.remove.hidden = Boolean(photo.report);
  }
}

async function readAll() {
  working = true;
  send.disabled = true;
  const waiting = photos.filter((photo) => !photo.report);
  for (const photo of waiting) tell(photo, words.waiting);
  state.textContent = say("all_done", { done: 0, count: photos.length });
  for (const photo of waiting) {
    await read(photo);
    const done = photos.filter((one) => one.report).length;
    state.textContent = say("all_done", { done, count: photos.length });
  }
  working = false;
  send.disabled = false;
  const done = photos.filter((photo) => photo.report);
  if (done.length === 1 && photos.length === 1) {
    location.assign(done[0].report.href);
    return;
  }
  if (done.length < photos.length) send.textContent = words.again;
  if (done.length) {
    const show = add(state, "a", "", words.show_all);
    state.append(" ", show);
    show.href = `${form.dataset.results}?${done.map((photo) => `id=${encodeURIComponent(photo.report.id)}`).join("&")}`;
    show.focus();
  }
}

for (const name of ["file", "camera"]) {
  const input = document.getElementById(name);
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = "";
  });
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (working) return;
  if (!photos.some((photo) => !photo.report)) {
    state.textContent = words.no_photo;
    document.getElementById("file").focus();
    return;
  }
  readAll();
});
document.addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length) {
    event.preventDefault();
    take(files);
  }
});
let depth = 0;
document.addEventListener("dragenter", (event) => {
  if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
  depth += 1;
  drop.classList.add("over");
});
document.addEventListener("dragleave", () => {
  depth = Math.max(0, depth - 1);
  if (!depth) drop.classList.remove("over");
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  depth = 0;
  drop.classList.remove("over");
  take([...(event.dataTransfer?.files ?? [])]);
});
addEventListener("beforeunload", (event) => {
  if (working) event.preventDefault();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    clear();
    showChoice();
  }
});
