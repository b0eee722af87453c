(() => {
  const choice = document.getElementById("effect-outcome");
  if (!choice) return;
  const parts = [...document.querySelectorAll(".effects-on")];
  const show = () => parts.forEach((part, k) => {
    part.hidden = k !== Number(choice.value);
    part.open = !part.hidden;
  });
  choice.addEventListener("change", show);
  document.querySelector("#effects .tools").hidden = false;
  document.getElementById("effects").classList.add("live");
  show();
})();
