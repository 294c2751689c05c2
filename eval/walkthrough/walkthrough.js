"use strict";
(() => {
  const main = document.querySelector("main");
  const all = document.getElementById("all-terms");
  let followed = null;

  // A click on a term shows that term alone, in its question and in every document; a second one shows all again.
  const follow = (term) => {
    followed = followed === term ? null : term;
    main.classList.toggle("following", followed !== null);
    for (const mark of main.querySelectorAll("mark.term")) {
      mark.classList.toggle("followed", mark.dataset.term === followed);
    }
    all.hidden = followed === null;
  };
  main.addEventListener("click", (event) => {
    const mark = event.target.closest("mark.term");
    if (mark) { follow(mark.dataset.term); }
  });
  all.addEventListener("click", () => follow(followed));

  const form = document.getElementById("issue-form");
  document.getElementById("issue-button").hidden = false;
  form.addEventListener("submit", (event) => {
    const report = JSON.parse(form.dataset.base);
    report.complaint = form.elements.complaint.value;
    report.note = form.elements.note.value;
    report.expected = form.elements.expected.value.split("\n").map((line) => line.trim().slice(0, 400)).filter(Boolean).slice(0, 20);
    for (const select of form.querySelectorAll("select[data-axis]")) { report.causes[select.dataset.axis] = select.value; }
    const text = JSON.stringify(report, null, 1);
    form.elements.report.value = text;
    if (form.hasAttribute("action")) { return; }
    event.preventDefault();
    const link = document.getElementById("issue-download");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `failure-${report.request_id}.json`;
    document.getElementById("issue-json").value = text;
    document.getElementById("issue-made").hidden = false;
    link.focus();
  });
})();
