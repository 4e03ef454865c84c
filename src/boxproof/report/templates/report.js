// SPDX-License-Identifier: MIT
// The filter. Without this script the page shows everything, and :target alone opens a finding.
(() => {
  "use strict";
  const form = document.getElementById("filter");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const chips = all("button[data-verdict]", form);
  const helper = form.elements.helper;
  const words = form.elements.words;
  const told = form.querySelector("output");

  const asked = () => ({
    verdicts: new Set(chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.verdict)),
    helper: helper.value,
    words: words.value.trim().toLowerCase(),
  });
  const fits = (node, wanted) =>
    (!wanted.verdicts.size || node.dataset.verdicts.split(" ").some((verdict) => wanted.verdicts.has(verdict))) &&
    (!wanted.helper || node.dataset.helper === wanted.helper) &&
    (!wanted.words || node.dataset.requirement.toLowerCase().startsWith(wanted.words));

  const apply = () => {
    const wanted = asked();
    let rows = 0;
    for (const column of all("th[data-helper]")) column.hidden = Boolean(wanted.helper) && column.dataset.helper !== wanted.helper;
    for (const row of all("table.matrix tbody tr")) {
      const cells = all("td[data-helper]", row);
      for (const cell of cells) cell.hidden = Boolean(wanted.helper) && cell.dataset.helper !== wanted.helper;
      row.hidden = !cells.some((cell) => cell.dataset.verdicts && fits(cell, wanted));
      rows += row.hidden ? 0 : 1;
    }
    for (const group of all(".group")) group.hidden = !fits(group, wanted);
    for (const entry of all(".finding")) entry.hidden = wanted.verdicts.size > 0 && !wanted.verdicts.has(entry.dataset.verdict);
    for (const section of all(".requirement")) section.hidden = !section.querySelector(".group:not([hidden])");
    told.textContent = rows === 1 ? "1 row" : `${rows} rows`;
  };

  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  }
  helper.addEventListener("change", apply);
  words.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    for (const chip of chips) chip.setAttribute("aria-pressed", "false");
    setTimeout(apply);
  });

  // what is opened says so to those who do not see it, and Escape closes it
  const opened = () => {
    for (const title of all(".finding h4 a")) title.setAttribute("aria-expanded", String(title.hash === location.hash));
  };
  addEventListener("hashchange", () => {
    const node = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (node && node.closest("[hidden]")) form.reset();
    opened();
  });
  addEventListener("keydown", (event) => {
    const entry = event.key === "Escape" && document.querySelector(".finding:target");
    if (entry) {
      location.hash = entry.closest(".group").id;
      entry.querySelector("h4 a").focus();
    }
  });

  form.hidden = false;
  opened();
  apply();
})();
