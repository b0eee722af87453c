"use strict";
(() => {
  const table = document.getElementById("edge-table");
  if (!table) return;
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const words = new Intl.Collator(undefined, { numeric: true });
  const keys = new Map(rows.map((row) => [row, [...row.cells].map((cell, at) =>
    at === 0 ? cell.dataset.key : Number(cell.dataset.value))]));
  const search = document.getElementById("edge-search");
  const least = document.getElementById("edge-least");
  const sign = document.getElementById("edge-sign");
  const shown = document.getElementById("edge-least-shown");
  const count = document.getElementById("edge-count");

  const sort = (at, direction) => {
    const order = direction === "ascending" ? 1 : -1;
    rows.sort((a, b) => {
      const x = keys.get(a)[at], y = keys.get(b)[at];
      return order * (at === 0 ? words.compare(x, y) : x - y);
    });
    body.append(...rows);
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === at ? direction : "none"));
  };
  heads.forEach((head, at) => head.querySelector("button").addEventListener("click", () => {
    const first = at === 0 ? "ascending" : "descending";
    const other = at === 0 ? "descending" : "ascending";
    sort(at, head.getAttribute("aria-sort") === first ? other : first);
  }));

  const filter = () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const bound = Number(least.value);
    let visible = 0;
    for (const row of rows) {
      const text = row.cells[0].dataset.key.toLowerCase();
      const signed = !sign || !sign.value || row.cells[row.cells.length - 1].dataset.sign === sign.value;
      const keep = signed && keys.get(row)[1] >= bound && wanted.every((word) => text.includes(word));
      row.hidden = !keep;
      visible += keep;
    }
    shown.textContent = bound.toFixed(2);
    count.textContent = `${visible} of ${rows.length} pairs`;
  };
  search.addEventListener("input", filter);
  least.addEventListener("input", filter);
  if (sign) sign.addEventListener("input", filter);
  document.getElementById("edge-reset").addEventListener("click", () => {
    search.value = "";
    least.value = "0";
    if (sign) sign.value = "";
    sort(1, "descending");
    filter();
  });
  table.closest("section").querySelector(".tools").hidden = false;
  filter();
})();
