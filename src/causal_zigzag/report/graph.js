// The interactive graph of a report: threshold, classes, one variable, zoom and pan, and downloads.
"use strict";
(() => {
  const root = document.getElementById("graph");
  if (!root) return;
  const data = JSON.parse(root.dataset.graph);
  const at = (id) => document.getElementById(`graph-${id}`);
  const stage = at("stage"), detail = at("detail"), least = at("least"), shown = at("shown"), variable = at("variable");
  const HALF = data.box_height / 2, HEAD = 9, GAP = 22, MARGIN = 12, INDENT = 48;
  const SMALLEST = 0.6; // a whole graph at a smaller scale is not legible; one variable is shown instead
  const edges = data.edges.map(([i, j, joined, forward, backward, open, strength, steps, classes, path, again, bold]) =>
    ({ i, j, joined, forward, backward, open, strength, steps, classes, path, again, bold }));
  let selected = null, boxes = [], view = null, whole = [0, 0, ...data.size];

  // ---- what is shown

  const consensusMark = (edge) => edge.steps[shown.value === "" ? least.value : data.start];
  const mark = (edge) => shown.value === "" ? consensusMark(edge) : edge.classes[shown.value];
  const visible = () => edges.filter((edge) => mark(edge) !== ".");
  const isKnown = (m) => m === "]" || m === "["; // arrows that were given as known have marks of their own
  const points = (m) => m === ">" || m === "]" ? 1 : m === "<" || m === "[" ? -1 : 0; // from i to j, back, or open
  const named = (edge, m = mark(edge)) => points(m) < 0 ? `${data.names[edge.j]} → ${data.names[edge.i]}`
    : `${data.names[edge.i]} ${points(m) ? "→" : "–"} ${data.names[edge.j]}`;
  const number = (p) => p <= 0 ? "0" : p >= 1 ? "1" : p < 0.0005 ? "<0.001" : p >= 0.9995 ? ">0.999" : p.toFixed(3);
  const numbers = (edge) => {
    const [x, y] = [data.names[edge.i], data.names[edge.j]];
    const said = ([joined, forward, backward, open]) =>
      `${number(joined)}: ${x} → ${y} ${number(forward)}, ${y} → ${x} ${number(backward)}, open ${number(open)}`;
    return `joined ${said([edge.joined, edge.forward, edge.backward, edge.open])}` +
      (edge.again.length ? `; when rows are resampled ${said(edge.again)}` : "");
  };

  // ---- where things are

  const layoutOfAll = () => data.boxes.map(([x, y, width, text], v) => ({ v, x, y, width, text }));
  const rowsOf = (nodes, limit) => { // split into rows that are not wider than the limit
    const rows = [[]];
    let used = 0;
    for (const v of nodes) {
      const width = data.boxes[v][2] + GAP;
      if (used + width > limit && rows.at(-1).length) { rows.push([]); used = 0; }
      rows.at(-1).push(v);
      used += width;
    }
    return rows.filter((row) => row.length);
  };
  const isNarrow = () => stage.clientWidth < 560;
  const box = (v, x, y) => ({ v, x, y, width: data.boxes[v][2], text: data.boxes[v][3] });
  const layoutAsTree = (center, kin) => { // one variable per line, for narrow screens
    const indented = (v, line) => box(v, INDENT + data.boxes[v][2] / 2, line * 40);
    const placed = [
      ...kin.above.map((v, k) => indented(v, k - kin.above.length)),
      box(center, data.boxes[center][2] / 2, 0),
      ...[...kin.beside, ...kin.below].map((v, k) => indented(v, k + 1)),
    ];
    frame(placed);
    return placed;
  };
  const frame = (placed) => { // the extent of the boxes
    const left = Math.min(...placed.map((b) => b.x - b.width / 2)) - MARGIN;
    const right = Math.max(...placed.map((b) => b.x + b.width / 2)) + MARGIN;
    const top = Math.min(...placed.map((b) => b.y)) - HALF - MARGIN;
    const bottom = Math.max(...placed.map((b) => b.y)) + HALF + MARGIN;
    whole = [left, top, right - left, bottom - top];
  };
  const layoutAround = (center) => { // parents above, children below, open edges in the same row
    const kin = { above: [], beside: [], below: [] };
    for (const edge of visible()) {
      if (edge.i !== center && edge.j !== center) continue;
      const way = points(mark(edge)), other = edge.i === center ? edge.j : edge.i;
      kin[!way ? "beside" : (way > 0) === (edge.j === center) ? "above" : "below"].push(other);
    }
    const limit = Math.max(260, Math.min(900, stage.clientWidth - 2 * MARGIN));
    if (isNarrow()) return layoutAsTree(center, kin);
    const half = Math.ceil(kin.beside.length / 2), placed = [];
    const put = (rows, y, step) => rows.forEach((row, k) => {
      const total = row.reduce((sum, v) => sum + data.boxes[v][2] + GAP, -GAP);
      let x = -total / 2;
      for (const v of row) {
        placed.push(box(v, x + data.boxes[v][2] / 2, y + k * step));
        x += data.boxes[v][2] + GAP;
      }
    });
    const besides = [kin.beside.slice(0, half), kin.beside.slice(half)];
    const side = Math.max(...besides.map((part) => part.length));
    const high = Math.max(0, (side - 1) / 2) * 40;
    besides.forEach((part, k) => part.forEach((v, row) => {
      const away = data.boxes[center][2] / 2 + 2.5 * GAP + data.boxes[v][2] / 2;
      placed.push(box(v, k ? away : -away, (row - (part.length - 1) / 2) * 40));
    }));
    placed.push(box(center, 0, 0));
    const above = rowsOf(kin.above, limit);
    put(above, -high - 84 - (above.length - 1) * 46, 46);
    put(rowsOf(kin.below, limit), high + 84, 46);
    frame(placed);
    return placed;
  };
  const branch = (trunk, leaf) => { // from the chosen variable to one in the lines above or below it
    const x = trunk.x - trunk.width / 2 + HALF, side = Math.sign(leaf.y - trunk.y);
    return [[x, trunk.y + side * (HALF + 1)], [x, leaf.y], [x, leaf.y], [leaf.x - leaf.width / 2 - 1, leaf.y]];
  };
  const border = (from, to) => { // where the line between two boxes leaves the first
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const scale = Math.max(Math.abs(dx) / (from.width / 2 + 1), Math.abs(dy) / (HALF + 1), 1);
    return [from.x + dx / scale, from.y + dy / scale];
  };
  const pathOf = (edge, a, b) => { // control points from i to j
    if (variable.value === "") {
      return Array.from({ length: edge.path.length / 2 }, (_, k) => [edge.path[2 * k], edge.path[2 * k + 1]]);
    }
    if (isNarrow()) {
      return a.v === +variable.value ? branch(a, b) : branch(b, a).reverse();
    }
    const [p, q] = [border(a, b), border(b, a)];
    return [p, [(2 * p[0] + q[0]) / 3, (2 * p[1] + q[1]) / 3], [(p[0] + 2 * q[0]) / 3, (p[1] + 2 * q[1]) / 3], q];
  };

  // ---- drawing

  const svg = (tag, attributes, parent) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent?.append(made);
    return made;
  };
  const drawing = svg("svg", { class: "czz-live", role: "img", "aria-label": stage.getAttribute("aria-label") });
  const point = ([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const drawEdge = (edge, a, b) => {
    const m = mark(edge) === "." ? consensusMark(edge) : mark(edge), way = points(m);
    let line = pathOf(edge, a, b);
    if (way < 0) line.reverse();
    const differs = shown.value !== "" && (mark(edge) === "." || points(mark(edge)) !== points(consensusMark(edge)) ||
      consensusMark(edge) === ".");
    const kind = mark(edge) === "." ? "absent" : differs ? "added" : "";
    const near = selected !== null && (edge.i === selected || edge.j === selected);
    const far = variable.value !== "" && edge.i !== +variable.value && edge.j !== +variable.value;
    const dim = (selected !== null && !near) || far;
    const weight = shown.value === "" ? edge.strength : 1;
    const said = `${named(edge, m)}, ${numbers(edge)}${isKnown(m) ? "; given as known" : ""}`;
    const g = svg("g", { class: `edge ${way ? "arrow" : "line"} ${kind} ${dim ? "dim" : ""}` }, drawing);
    svg("title", {}, g).textContent = said;
    if (isKnown(m)) {
      const first = 3 * Math.floor((line.length - 1) / 6), part = line.slice(first, first + 4);
      const [x, y] = [0, 1].map((k) => (part[0][k] + 3 * part[1][k] + 3 * part[2][k] + part[3][k]) / 8);
      const corners = [[0, -1], [1, 0], [0, 1], [-1, 0]].map(([u, v]) => [x + data.mark * u, y + data.mark * v]);
      svg("polygon", { class: "known", points: corners.map(point).join(" ") }, g);
    }
    if (way) {
      const tip = line.at(-1), before = line.at(-2);
      const length = Math.hypot(tip[0] - before[0], tip[1] - before[1]) || 1;
      const [ux, uy] = [(tip[0] - before[0]) / length, (tip[1] - before[1]) / length];
      const base = [tip[0] - HEAD * ux, tip[1] - HEAD * uy];
      const corners = [tip, [base[0] - 4 * uy, base[1] + 4 * ux], [base[0] + 4 * uy, base[1] - 4 * ux]];
      svg("polygon", { class: "head", points: corners.map(point).join(" ") }, g);
      const back = HEAD - 1; // the line ends inside the arrowhead
      line = [...line.slice(0, -2), ...line.slice(-2).map(([x, y]) => [x - back * ux, y - back * uy])];
    }
    const d = `M${point(line[0])} C${line.slice(1).map(point).join(" ")}`;
    const times = edge.bold && shown.value === "" && way ? data.bold : 1;
    svg("path", { d, "stroke-width": (times * (data.width[0] + data.width[1] * weight)).toFixed(2) }, g);
    svg("path", { d, class: "grip" }, g); // a wider invisible line, easier to point at
    if (!dim) g.style.opacity = (data.opacity[0] + data.opacity[1] * weight).toFixed(2);
    g.addEventListener("pointerenter", () => { detail.textContent = said; });
    g.addEventListener("click", (event) => { event.stopPropagation(); detail.textContent = said; });
  };
  const drawNode = (box, near) => {
    const dim = selected !== null && !near.has(box.v);
    const chosen = box.v === selected || String(box.v) === variable.value;
    const look = `node ${dim ? "dim" : ""} ${chosen ? "chosen" : ""}`;
    const g = svg("g", { class: look, "data-node": box.v, tabindex: 0, role: "button" }, drawing);
    svg("title", {}, g).textContent = data.names[box.v];
    svg("rect", { x: box.x - box.width / 2, y: box.y - HALF, width: box.width, height: 2 * HALF, rx: HALF }, g);
    svg("text", { x: box.x, y: box.y + 4.5, "text-anchor": "middle" }, g).textContent = box.text;
    const choose = (event) => {
      event.stopPropagation();
      if (dragged) return;
      if (variable.value !== "") variable.value = String(box.v);
      else selected = selected === box.v ? null : box.v;
      draw(variable.value !== "");
    };
    g.addEventListener("click", choose);
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      dragged = false;
      choose(event);
    });
  };
  const tell = () => {
    detail.textContent = "";
    const center = variable.value !== "" ? +variable.value : selected;
    if (center !== null) {
      const parts = { "Causes": [], "Effects": [], "Direction open": [] };
      for (const edge of visible()) {
        if (edge.i !== center && edge.j !== center) continue;
        const way = points(mark(edge)), other = data.names[edge.i === center ? edge.j : edge.i];
        const kind = !way ? "Direction open" : (way > 0) === (edge.j === center) ? "Causes" : "Effects";
        parts[kind].push(`${other} (joined ${number(edge.joined)})`);
      }
      const said = Object.entries(parts).filter(([, list]) => list.length)
        .map(([kind, list]) => `${kind}: ${list.join(", ")}`);
      detail.textContent = `${data.names[center]}. ${said.join(". ") || "Not joined to any variable"}.`;
      if (variable.value === "") {
        const button = document.createElement("button");
        button.type = "button";
        button.id = "graph-only";
        button.textContent = "Show only its neighbourhood";
        button.addEventListener("click", () => { variable.value = String(center); selected = null; draw(true); });
        detail.append(" ", button);
      }
    } else if (shown.value !== "") {
      detail.textContent = document.querySelectorAll(".classes .compared")[shown.value].textContent;
    }
  };
  const draw = (moved = false) => {
    const center = variable.value === "" ? null : +variable.value;
    whole = [0, 0, ...data.size];
    boxes = center === null ? layoutOfAll() : layoutAround(center);
    drawing.replaceChildren();
    const placed = new Map(boxes.map((box) => [box.v, box]));
    const all = edges.filter((edge) => mark(edge) !== "." || (shown.value !== "" && consensusMark(edge) !== "."));
    const near = new Set(selected === null ? [] : [selected]);
    const others = all.filter((edge) => edge.i !== center && edge.j !== center && placed.has(edge.i) && placed.has(edge.j));
    const crowded = center !== null && (isNarrow() || others.length > boxes.length); // they hide those of the variable
    for (const edge of all) {
      if (crowded && edge.i !== center && edge.j !== center) continue;
      if (edge.i === selected) near.add(edge.j);
      if (edge.j === selected) near.add(edge.i);
      if (placed.has(edge.i) && placed.has(edge.j)) drawEdge(edge, placed.get(edge.i), placed.get(edge.j));
    }
    for (const box of boxes) drawNode(box, near);
    at("least-shown").textContent = data.thresholds[least.value].toFixed(2);
    least.disabled = shown.value !== "";
    at("what").textContent = shown.value === "" ? data.caption.replace("{}", data.thresholds[least.value].toFixed(2))
      : data.captions[shown.value];
    tell();
    if (moved || !view) fit(); else zoom(1);
  };

  // ---- zoom and pan

  const apply = () => drawing.setAttribute("viewBox", view.map((x) => x.toFixed(2)).join(" "));
  const fit = () => {
    const wide = stage.clientWidth || whole[2];
    const scale = Math.min(1.3, wide / whole[2]);
    const height = Math.min(Math.max(160, whole[3] * scale), (data.large ? 0.8 : 0.5) * Math.max(760, window.innerHeight));
    stage.style.height = `${height.toFixed(0)}px`;
    const final = Math.min(scale, height / whole[3]);
    const [w, h] = [wide / final, height / final];
    view = [whole[0] + (whole[2] - w) / 2, whole[1] + (whole[3] - h) / 2, w, h];
    apply();
    stage.classList.remove("zoomed");
  };
  const zoom = (factor, cx = view[0] + view[2] / 2, cy = view[1] + view[3] / 2) => {
    view = [cx + (view[0] - cx) / factor, cy + (view[1] - cy) / factor, view[2] / factor, view[3] / factor];
    if (factor !== 1) stage.classList.add("zoomed");
    apply();
  };
  const where = (event) => {
    const box = drawing.getBoundingClientRect();
    const [right, down] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    return [view[0] + right * view[2], view[1] + down * view[3]];
  };
  const fingers = new Map();
  let dragged = false;
  stage.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, event); dragged = false; });
  stage.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const moved = [event.clientX - last.clientX, event.clientY - last.clientY];
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      const far = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      zoom(far(event) / Math.max(1, far(last)), ...where(other));
    } else if (event.pointerType !== "touch" || stage.classList.contains("zoomed")) {
      if (!dragged && Math.hypot(...moved) < 4) return;
      dragged = true;
      const scale = view[2] / drawing.getBoundingClientRect().width;
      view = [view[0] - moved[0] * scale, view[1] - moved[1] * scale, view[2], view[3]];
      apply();
    }
    fingers.set(event.pointerId, event);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
    stage.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  }
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // an ordinary wheel scrolls the page
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), ...where(event));
  }, { passive: false });
  stage.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else if (event.key === "Escape") { selected = null; draw(); }
  });

  // ---- downloads

  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size"];
  const picture = () => { // a copy with all styles written out, so that it looks the same elsewhere
    const copy = drawing.cloneNode(true);
    const [from, to] = [drawing, copy].map((one) => [...one.querySelectorAll("g, path, polygon, rect, text")]);
    from.forEach((element, k) => {
      const style = getComputedStyle(element);
      for (const key of STYLES) to[k].setAttribute(key, style.getPropertyValue(key));
      to[k].removeAttribute("style");
    });
    copy.querySelectorAll(".grip").forEach((grip) => grip.remove());
    const scale = Math.max(1, data.size[0] / 4000);
    const [x, y, w, h] = whole;
    copy.setAttribute("viewBox", whole.join(" "));
    copy.setAttribute("width", w / scale);
    copy.setAttribute("height", h / scale);
    const paper = getComputedStyle(document.querySelector("figure.panel")).backgroundColor;
    copy.prepend(svg("rect", { x, y, width: w, height: h, fill: paper }));
    return { text: new XMLSerializer().serializeToString(copy), width: w / scale, height: h / scale };
  };
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  at("svg").addEventListener("click", () => save(new Blob([picture().text], { type: "image/svg+xml" }), "graph.svg"));
  at("csv").addEventListener("click", () => {
    const written = { ">": "->", "]": "->", "<": "<-", "[": "<-", "-": "-", ".": "" };
    const rows = edges.map((e) => [e.i, e.j, e.joined, e.forward, e.backward, e.open, e.again, written[mark(e)]]);
    rows.push(...data.others.map((row) => [...row, ""]));
    const resampled = rows.some((row) => row[6].length), never = resampled ? [0, 0, 0, 0] : [];
    const seen = new Set(rows.flatMap(([i, j]) => [`${i},${j}`, `${j},${i}`]));
    data.names.forEach((_, j) => data.names.slice(0, j).forEach((__, i) => {
      if (!seen.has(`${i},${j}`)) rows.push([i, j, 0, 0, 0, 0, never, ""]); // never joined
    }));
    const lines = rows.map(([i, j, ...rest]) =>
      [quoted(data.names[i]), quoted(data.names[j]), ...rest.slice(0, 4), ...rest[4], quoted(rest[5])].join(","));
    const again = resampled ? "joined_again,forward_again,backward_again,open_again," : "";
    const text = [`x,y,joined,forward,backward,open,${again}shown`, ...lines, ""].join("\n");
    save(new Blob([text], { type: "text/csv" }), "edges.csv");
  });
  at("png").addEventListener("click", () => {
    const { text, width, height } = picture();
    const image = new Image();
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [Math.ceil(2 * width), Math.ceil(2 * height)];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, "graph.png"));
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  // ---- start

  least.addEventListener("input", () => draw(variable.value !== ""));
  shown.addEventListener("change", () => draw(variable.value !== ""));
  variable.addEventListener("change", () => { selected = null; draw(true); });
  at("in").addEventListener("click", () => zoom(1.25));
  at("out").addEventListener("click", () => zoom(0.8));
  at("fit").addEventListener("click", fit);
  stage.addEventListener("click", () => { if (!dragged && selected !== null) { selected = null; draw(); } });
  let width = 0;
  new ResizeObserver(() => {
    if (stage.clientWidth === width) return;
    width = stage.clientWidth;
    if (view) draw(true);
  }).observe(stage);
  root.querySelector(".graph-tools").hidden = false;
  stage.replaceChildren(drawing);
  const degree = data.names.map(() => 0); // the probable edges of each variable
  for (const edge of edges) { degree[edge.i] += edge.joined; degree[edge.j] += edge.joined; }
  if (data.large || stage.clientWidth / data.size[0] < SMALLEST) {
    variable.value = String(degree.indexOf(Math.max(...degree)));
  }
  draw(true);
})();
