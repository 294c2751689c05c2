"use strict";
// Everything from the server is set as text, never as markup: file names and manuals are not trusted.
const form = document.getElementById("form");
const state = document.getElementById("status");
const results = document.getElementById("results");
const send = document.getElementById("send");

function add(parent, tag, text) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function shape(parent, tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
}

function describe(instrument) {
  if (instrument.status !== "read") return `${instrument.kind}: not read, because ${instrument.reason}`;
  const fields = instrument.fields;
  if (instrument.value === null) {
    const position = fields.mode_dial_position === null ? null : `position ${fields.mode_dial_position}`;
    return `${instrument.kind}: ${fields.warning_light_color ?? position ?? fields.digital_readout ?? "no value"}`;
  }
  const number = (value) => Number(value.toPrecision(5));
  const unit = instrument.unit === null ? "" : ` ${instrument.unit}`;
  const between = `between ${number(instrument.value_low)} and ${number(instrument.value_high)}`;
  return `${instrument.kind}: ${number(instrument.value)}${unit}, ${between}, confidence ${instrument.value_confidence.toFixed(2)}`;
}

function showPicture(parent, file, instruments) {
  const figure = add(parent, "figure");
  const image = add(figure, "img");
  image.alt = `Photo ${file.name} with what was read marked on it`;
  image.addEventListener("error", () => figure.remove());
  image.addEventListener("load", () => {
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    drawing.setAttribute("viewBox", `0 0 ${image.naturalWidth} ${image.naturalHeight}`);
    drawing.setAttribute("aria-hidden", "true");
    for (const { box, points, status } of instruments) {
      const [x0, y0, x1, y1] = box;
      shape(drawing, "rect", { x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0), class: status });
      const { needle_tip: tip, pivot, scale_start: start, scale_end: end } = points;
      if (tip && pivot) shape(drawing, "line", { x1: pivot[0], y1: pivot[1], x2: tip[0], y2: tip[1], class: "needle" });
      const radius = image.naturalWidth / 150;
      for (const [point, kind] of [[start, "start"], [end, "end"], [pivot, "needle"]]) {
        if (point) shape(drawing, "circle", { cx: point[0], cy: point[1], r: radius, class: kind });
      }
    }
    figure.append(drawing);
    URL.revokeObjectURL(image.src);
  });
  image.src = URL.createObjectURL(file);
}

// The report's Markdown has headings, list items and quotes of one line each; its escapes are for Markdown alone.
function showReport(parent, markdown) {
  let list = null;
  for (const line of markdown.split("\n").filter((one) => one.trim())) {
    const [, mark, escaped] = line.match(/^(#+ |- |\d+\. |> )?(.*)$/);
    const text = escaped.replace(/\\([^\w\s])/g, "$1");
    if (mark === "- " || /^\d/.test(mark ?? "")) {
      const tag = mark === "- " ? "UL" : "OL";
      if (list?.tagName !== tag) list = add(parent, tag);
      add(list, "li", text);
    } else {
      list = null;
      add(parent, mark?.startsWith("#") ? `h${mark.trim().length + 2}` : "p", text);
    }
  }
}

function show(inspection, file) {
  const article = add(results, "article");
  const reading = inspection.reading;
  add(article, "h2", reading.photo);
  if (reading.reason) add(article, "p", reading.reason);
  if (reading.status !== "error") showPicture(article, file, reading.instruments);
  const list = add(article, "ul");
  for (const instrument of reading.instruments) add(list, "li", describe(instrument));
  if (inspection.report) showReport(article, inspection.report.markdown);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const files = [...document.getElementById("file").files];
  results.replaceChildren();
  state.textContent = `Inspecting ${files.length} photo${files.length === 1 ? "" : "s"} …`;
  send.disabled = true;
  try {
    const body = new FormData(form);
    if (!body.get("model")) body.delete("model");
    const answer = await fetch("inspect", { method: "POST", body });
    const content = await answer.json();
    if (!answer.ok) {
      state.textContent = `${content.title}: ${content.detail} (request ${content.request_id})`;
      return;
    }
    const inspections = Array.isArray(content) ? content : [content];
    inspections.forEach((inspection, index) => show(inspection, files[index]));
    state.textContent = "Done.";
  } catch (error) {
    state.textContent = `The server could not be reached: ${error.message}`;
  } finally {
    send.disabled = false;
  }
});
