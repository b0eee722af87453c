(() => {
  const root = document.getElementById("effects");
  if (!root) return;
  const outcome = document.getElementById("effect-outcome"), unit = document.getElementById("effect-unit");
  const parts = [...document.querySelectorAll(".effects-on")];
  const show = () => parts.forEach((part, k) => {
    part.hidden = k !== Number(outcome.value);
    part.open = !part.hidden;
  });
  outcome.addEventListener("change", show);
  unit?.addEventListener("change", () => { root.className = `live ${unit.value}`; });
  for (const part of parts) {
    const level = part.querySelector(".levels select");
    const filter = () => part.querySelectorAll("tr[data-level]").forEach((row) => {
      row.hidden = level.value !== "" && row.dataset.level !== level.value;
    });
    level?.addEventListener("change", filter);
    if (level) { level.selectedIndex = level.options.length - 1; filter(); }
  }
  root.querySelector(".tools").hidden = false;
  root.classList.add("live");
  show();
})();
