"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const [DISPLAY, PRIMITIVE, LINE, PARENT, COUNT, INCLUSIVE, SELF, INLINED, SPAWNED, MODE] = Array(10).keys();
const state = { workload: 0, rival: "", selected: -1, open: new Set(), view: null };
let nodes = [], kids = [], subtree = [], run = null, most = 1;

// --- small helpers ---------------------------------------------------------------------------------------------------
function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") e.textContent = value;
    else if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}
function svg(tag, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}
function time(ns) {
  if (ns >= 1e9) return (ns / 1e9).toFixed(2) + " s";
  if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e8 ? 0 : 1) + " ms";
  if (ns >= 1e3) return (ns / 1e3).toFixed(ns >= 1e5 ? 0 : 1) + " µs";
  return Math.round(ns) + " ns";
}
const grouped = n => n.toLocaleString("en-US");
const dark = () => document.documentElement.dataset.theme === "dark";

// Own time on a square-root scale: small differences among cheap nodes stay visible beside a dominant one.
function heat(ns) {
  const t = Math.sqrt(Math.min(ns / most, 1));
  return dark() ? `hsl(${24 - 6 * t} ${9 + 84 * t}% ${24 + 33 * t}%)` : `hsl(${44 - 30 * t} ${40 + 55 * t}% ${95 - 45 * t}%)`;
}
const inkOn = ns => Math.sqrt(Math.min(ns / most, 1)) > .62 ? (dark() ? "#14181f" : "#fff") : "var(--ink)";

// name/instance/L#0(line, column): the parts a reader needs. A variable is better known by its own name.
function label(node) {
  const [name, instance] = node[DISPLAY].replace(/\(\d+, \d+\)$/, "").split("/");
  const own = instance && !instance.startsWith("L#") ? instance : "";
  const plain = (name || node[PRIMITIVE]).replace(/^__/, "");
  return own && plain.startsWith("access-") ? [own, plain.slice(7)] : [plain, own];
}
function decision(node) {
  if (!node[COUNT]) return ["never", "never ran"];
  if (!node[SPAWNED]) return ["inlined", "inlined"];
  if (!node[INLINED]) return ["spawned", "spawned"];
  const percent = 100 * node[INLINED] / (node[INLINED] + node[SPAWNED]);
  return ["mixed", `${percent > 99 ? Math.min(percent, 99.99).toFixed(percent > 99.9 ? 2 : 1) : Math.round(percent)} % inlined`];
}

// --- choosing what to show -------------------------------------------------------------------------------------------
const comparison = () => data.comparisons[state.workload];
const line = node => node[LINE] >= 0 ? comparison().source.lines[node[LINE]] : null;

function choose(workload, rival) {
  state.workload = workload;
  const measured = comparison().runs.filter(r => r.nodes.length);
  run = measured.find(r => r.rival === rival) || measured[measured.length - 1] || null;
  state.rival = run ? run.rival : "";
  nodes = run ? run.nodes : [];
  kids = nodes.map(() => []);
  kids.roots = [];
  nodes.forEach((n, i) => (n[PARENT] >= 0 ? kids[n[PARENT]] : kids.roots).push(i));
  subtree = nodes.map(n => n[SELF]);
  for (let i = nodes.length - 1; i >= 0; --i) if (nodes[i][PARENT] >= 0) subtree[nodes[i][PARENT]] += subtree[i];
  most = Math.max(1, ...nodes.map(n => n[SELF]));
  state.view = null;
  openHot();
  state.selected = nodes.reduce((best, n, i) => best < 0 || n[SELF] > nodes[best][SELF] ? i : best, -1);
  reveal(state.selected);
  draw();
}
function openHot() {
  const total = kids.roots.reduce((sum, i) => sum + subtree[i], 0) || 1;
  state.open = new Set([...nodes.keys()].filter(i => subtree[i] > .04 * total));
}
function reveal(i) {
  for (let p = i >= 0 ? nodes[i][PARENT] : -1; p >= 0; p = nodes[p][PARENT]) state.open.add(p);
}
function select(i, scroll) {
  state.selected = i;
  reveal(i);
  drawTree();
  if (scroll) showSelected();
}
function showSelected() { // in its list, without moving the page
  const rows = $("rows"), on = rows.querySelector('[aria-selected="true"]');
  if (on && (on.offsetTop < rows.offsetTop + rows.scrollTop || on.offsetTop > rows.offsetTop + rows.scrollTop + rows.clientHeight - 30))
    rows.scrollTop = on.offsetTop - rows.offsetTop - rows.clientHeight / 2;
}

// --- results ---------------------------------------------------------------------------------------------------------
function drawResults() {
  const c = comparison(), measured = c.runs.filter(r => r.seconds !== undefined);
  $("detail").textContent = c.detail;
  $("results").hidden = !measured.length;
  if (!measured.length) return;
  const slowest = Math.max(...measured.map(r => r.seconds)), fastest = Math.min(...measured.map(r => r.seconds));
  const numpy = measured[0].seconds;
  const head = ["", "", "time", "against NumPy", "tasks created", "inlined", "largest difference"];
  const body = measured.map(r => {
    const meter = element("span", { class: "meter" }, element("i", { style: `width:${Math.max(1, 100 * r.seconds / slowest)}%` }));
    const plain = !r.nodes.length;
    const cells = [
      element("td", { text: r.rival }),
      element("td", { class: "meters" }, meter),
      element("td", { "data-label": "time", text: time(r.seconds * 1e9) }),
      element("td", { "data-label": "against NumPy", text: (numpy / r.seconds).toFixed(2) + "×" }),
      element("td", plain ? {} : { "data-label": "tasks", text: grouped(r.tasks) }),
      element("td", plain ? {} : { "data-label": "inlined", text: r.share === null ? "" : (100 * r.share).toFixed(1) + " %" }),
      element("td", plain ? {} : { "data-label": "difference", text: r.difference === null ? "∞" : r.difference === 0 ? "0" : r.difference.toExponential(1) }),
    ];
    return element("tr", r.seconds === fastest ? { class: "best" } : {}, ...cells);
  });
  $("table").replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...head.map(t => element("th", { text: t })))),
    element("tbody", {}, ...body)));
}

// --- tree ------------------------------------------------------------------------------------------------------------
function drawIcicle() {
  const box = $("icicle"), width = box.clientWidth || 1000, height = 25;
  const total = kids.roots.reduce((sum, i) => sum + subtree[i], 0);
  if (!total) return box.replaceChildren(element("p", { class: "empty", text: "Nothing has run yet." }));
  const root = svg("svg", {});
  let deepest = 0;
  const place = (list, x, depth) => {
    for (const i of list) {
      const w = width * subtree[i] / total;
      if (w >= 1.2) {
        deepest = Math.max(deepest, depth);
        const own = nodes[i][SELF];
        const rect = svg("rect", { x, y: depth * height, width: w, height, fill: heat(own), rx: 3, "data-node": i });
        if (i === state.selected) rect.setAttribute("class", "on");
        rect.append(svg("title", {}, `${nodes[i][DISPLAY]}\nown ${time(own)}, with everything below ${time(subtree[i])}`));
        root.append(rect);
        const [mode] = decision(nodes[i]);
        if (w > 26 && mode !== "never") // filled: inlined; a ring: spawned
          root.append(svg("circle", { cx: x + w - 11, cy: depth * height + 12.5, r: 3.6, stroke: inkOn(own), "stroke-width": 1.5,
            fill: nodes[i][INLINED] > nodes[i][SPAWNED] ? inkOn(own) : "none", opacity: .75 }));
        const text = label(nodes[i])[0];
        if (w > 22 + text.length * 6.6 + 10)
          root.append(svg("text", { x: x + 6, y: depth * height + 16.5, fill: inkOn(own) }, text));
        place([...kids[i]].sort((a, b) => subtree[b] - subtree[a]), x, depth + 1);
      }
      x += w;
    }
  };
  place(kids.roots, 0, 0);
  root.setAttribute("viewBox", `0 0 ${width} ${(deepest + 1) * height}`);
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", "Execution tree by computing time");
  root.addEventListener("click", e => { if (e.target.dataset.node) select(+e.target.dataset.node, true); });
  box.replaceChildren(root);
}

function drawRows() {
  const wanted = $("search").value.trim().toLowerCase(), out = [];
  const matches = wanted && new Set([...nodes.keys()].filter(i => nodes[i][DISPLAY].toLowerCase().includes(wanted)));
  const visit = (list, depth) => {
    for (const i of list) {
      if (!matches || matches.has(i)) out.push(row(i, matches ? 0 : depth));
      if (matches || state.open.has(i)) visit(kids[i], depth + 1);
    }
  };
  visit(kids.roots, 0);
  const top = $("rows").scrollTop;
  $("rows").replaceChildren(...(out.length ? out : [element("p", { class: "empty", text: wanted ? "No such primitive." : "No nodes." })]));
  $("rows").scrollTop = top;
}
function row(i, depth) {
  const n = nodes[i], [name, instance] = label(n), [mode, text] = decision(n), open = state.open.has(i), inner = kids[i].length > 0;
  const twist = element("button", { class: "twist", type: "button", tabindex: -1, "aria-label": open ? "collapse" : "expand",
    text: inner ? (open ? "▼" : "▶") : "", onclick: e => { e.stopPropagation(); toggle(i); } });
  const from = line(n);
  return element("div", { class: "row" + (n[COUNT] ? "" : " never"), role: "treeitem", tabindex: 0, "aria-level": depth + 1,
    "aria-selected": i === state.selected, ...(inner ? { "aria-expanded": open } : {}),
    onclick: () => select(i), ondblclick: () => toggle(i),
    onkeydown: e => {
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); select(i); }
      else if (e.key === "ArrowRight" && inner && !open || e.key === "ArrowLeft" && open) toggle(i);
      else if (e.key === "ArrowDown") { e.preventDefault(); e.currentTarget.nextElementSibling?.focus(); }
      else if (e.key === "ArrowUp") { e.preventDefault(); e.currentTarget.previousElementSibling?.focus(); }
    } },
    element("span", { class: "name", style: `padding-left:calc(var(--step) * ${Math.min(depth, 20)})` }, twist,
      element("i", { class: "chip", style: `background:${heat(n[SELF])}` }), element("b", { text: name }), element("small", { text: instance })),
    element("span", { class: "own" }, element("i", {}, element("u", { style: `width:${100 * n[SELF] / most}%;background:${heat(Math.max(n[SELF], most * .35))}` })),
      element("span", { text: time(n[SELF]) })),
    element("span", { class: "count", text: grouped(n[COUNT]) }),
    element("span", { class: "mode " + mode, text }),
    element("span", { class: "src", text: from ? `${from.line}: ${from.text.trim()}` : "" }));
}
function toggle(i) {
  state.open.has(i) ? state.open.delete(i) : state.open.add(i);
  drawRows();
}

function drawDetail() {
  const n = nodes[state.selected], box = $("detailbox");
  if (!n) return box.replaceChildren(element("p", { class: "empty", text: "Choose a node." }));
  const [name, instance] = label(n), from = line(n), [mode, text] = decision(n), calls = n[INLINED] + n[SPAWNED] || 1;
  const entries = [
    ["own time", `${time(n[SELF])}, ${time(n[COUNT] ? n[SELF] / n[COUNT] : 0)} each`],
    ["with operands", `${time(n[INCLUSIVE])}, ${time(n[COUNT] ? n[INCLUSIVE] / n[COUNT] : 0)} each`],
    ["evaluations", grouped(n[COUNT])],
    ["inlined", grouped(n[INLINED])], ["spawned", grouped(n[SPAWNED])], ["latest decision", n[MODE]],
    ["place", from ? `${from.name}:${from.line}:${n[10]}` : "made by the compiler"],
  ];
  box.replaceChildren(
    element("h3", {}, element("i", { class: "chip", style: `background:${heat(n[SELF])}` }), instance ? `${name} ${instance}` : name,
      element("span", { class: "mode " + mode, text })),
    element("div", { class: "stack", title: `${text}` }, element("i", { style: `width:${100 * n[INLINED] / calls}%` }),
      element("u", { style: `width:${100 * n[SPAWNED] / calls}%` })),
    element("dl", {}, ...entries.flatMap(([k, v]) => [element("dt", { text: k }), element("dd", { text: v })])));
}

function drawSource() {
  const lines = comparison().source.lines, cost = lines.map(() => 0);
  nodes.forEach(n => { if (n[LINE] >= 0) cost[n[LINE]] += n[SELF]; });
  const top = Math.max(1, ...cost), chosen = nodes[state.selected]?.[LINE];
  $("source").hidden = !lines.length;
  $("source").replaceChildren(...lines.map((l, i) => element("div", { class: i === chosen ? "on" : "", title: cost[i] ? time(cost[i]) : "",
    onclick: () => {
      const best = nodes.reduce((b, n, k) => n[LINE] === i && (b < 0 || n[SELF] > nodes[b][SELF]) ? k : b, -1);
      if (best >= 0) select(best, true);
    } },
    element("i", { style: cost[i] ? `background:${heat(most * cost[i] / top)}` : "" }), element("span", { text: l.line }), element("code", { text: l.text || " " }))));
  const on = $("source").querySelector(".on");
  if (on) $("source").scrollTop = on.offsetTop - $("source").offsetTop - 150;
}
function drawTree() { drawIcicle(); drawRows(); drawDetail(); drawSource(); }

// --- timeline --------------------------------------------------------------------------------------------------------
const families = [
  ["products", "#3b7ddd", /^(dot|__matmul|outer|tensordot)$/],
  ["solvers", "#c2417c", /^(inverse|solve|linear_solver|determinant|norm|lu)/],
  ["elementwise", "#e08a1e", /^(__(add|sub|mul|div|truediv|floordiv|pymod|mod|minus|eq|ne|lt|le|gt|ge|not)|power|exp|log|sqrt|square|where|maximum|minimum|absolute|astype)/],
  ["reductions", "#2f9e6e", /^(sum|mean|prod|std|var|amax|amin|arg|all|any|cum|count_nonzero)/],
  ["making and moving", "#8a63d2", /^(slice|diag|zeros|ones|full|constant|identity|eye|array|transpose|reshape|stack|concatenate|hstack|vstack|expand_dims|flatten|list|copy)/],
  ["control and variables", "#8b97a8", /./],
];
const family = n => families.findIndex(f => f[2].test(n[PRIMITIVE]));

function drawTimeline() {
  const slices = run ? run.slices : [], canvas = $("lanes").querySelector("canvas");
  $("time").hidden = !slices.length;
  if (!slices.length) return;
  const workers = [...new Set(slices.map(s => s[1]))].sort((a, b) => a - b);
  const end = Math.max(...slices.map(s => s[3])), start = Math.min(...slices.map(s => s[2]));
  if (!state.view) state.view = [start, Math.max(end, start + 1)];
  const of = slices.length < run.recorded ? `, the longest of ${grouped(run.recorded)}` : "";
  $("timehint").textContent = `What each worker computed, under ${run.rival}: ${grouped(slices.length)} evaluations${of}` +
    (run.dropped ? `; ${grouped(run.dropped)} later ones were not recorded` : "") + ". Turn the wheel to zoom, drag to move, double-click to see all.";
  const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue(name).trim();
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth || 1000, lane = 34, left = width < 500 ? 66 : 84, axis = 26;
  const height = workers.length * lane + axis;
  canvas.style.height = height + "px";
  canvas.width = width * ratio; canvas.height = height * ratio;
  const g = canvas.getContext("2d");
  g.scale(ratio, ratio);
  g.font = "12px system-ui, sans-serif";
  g.textBaseline = "middle";
  const [from, to] = state.view, x = t => left + (t - from) / (to - from) * (width - left);
  workers.forEach((w, k) => {
    g.fillStyle = color("--cool");
    g.fillRect(left, k * lane + 4, width - left, lane - 8);
    g.fillStyle = color("--soft");
    g.fillText(w < 0 ? "caller" : `worker ${w}`, 0, k * lane + lane / 2);
  });
  g.save();
  g.beginPath(); g.rect(left, 0, width - left, height); g.clip();
  for (const [node, worker, a, b] of slices) {
    if (b < from || a > to) continue;
    g.fillStyle = families[family(nodes[node])][1];
    g.fillRect(x(a), workers.indexOf(worker) * lane + 4, Math.max(x(b) - x(a), .6), lane - 8);
  }
  g.restore();
  const step = niceStep((to - from) / Math.max(2, (width - left) / 110));
  g.fillStyle = color("--soft");
  g.textAlign = "center";
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    g.fillRect(x(t), workers.length * lane, 1, 5);
    const text = time(t), half = g.measureText(text).width / 2;
    if (x(t) - half > left - 20 && x(t) + half < width) g.fillText(text, x(t), workers.length * lane + 15);
  }
  canvas.geometry = { workers, lane, left, width, slices };
  const used = new Set(slices.map(s => family(nodes[s[0]])));
  $("legend").replaceChildren(...families.filter((f, i) => used.has(i)).map(f => element("span", {}, element("i", { style: `background:${f[1]}` }), f[0])));
}
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find(f => f * power >= rough);
}
function timelineEvents() {
  const canvas = $("lanes").querySelector("canvas"), tip = $("tip");
  const at = e => {
    const { left, width } = canvas.geometry, [from, to] = state.view;
    return from + (e.offsetX - left) / (width - left) * (to - from);
  };
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    const t = at(e), [from, to] = state.view, f = e.deltaY > 0 ? 1.25 : .8;
    state.view = [t - (t - from) * f, t + (to - t) * f];
    drawTimeline();
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", e => { drag = [e.offsetX, ...state.view]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("dblclick", () => { state.view = null; drawTimeline(); });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", e => {
    const { workers, lane, left, width, slices } = canvas.geometry;
    if (drag) {
      const shift = (e.offsetX - drag[0]) / (width - left) * (drag[2] - drag[1]);
      state.view = [drag[1] - shift, drag[2] - shift];
      return drawTimeline();
    }
    const t = at(e), worker = workers[Math.floor(e.offsetY / lane)], slack = (state.view[1] - state.view[0]) / (width - left);
    const hit = slices.find(s => s[1] === worker && s[2] - slack <= t && t <= s[3] + slack);
    tip.hidden = !hit;
    if (!hit) return;
    const n = nodes[hit[0]], from = line(n);
    tip.textContent = `${label(n).join(" ").trim()}  ${time(hit[3] - hit[2])}${from ? "  line " + from.line : ""}`;
    tip.style.left = Math.min(e.offsetX + 12, width - tip.offsetWidth - 4) + "px";
    tip.style.top = e.offsetY + 14 + "px";
  });
  canvas.addEventListener("click", e => {
    const { workers, lane, slices } = canvas.geometry, t = at(e), worker = workers[Math.floor(e.offsetY / lane)];
    const hit = slices.find(s => s[1] === worker && s[2] <= t && t <= s[3]);
    if (hit) select(hit[0], true);
  });
}

// --- everything ------------------------------------------------------------------------------------------------------
function buttons(box, names, chosen, act) {
  box.replaceChildren(...names.map((name, i) => element("button", { type: "button", "aria-pressed": name === chosen, text: name, onclick: () => act(i, name) })));
  box.hidden = names.length < 2;
}
function draw() {
  buttons($("workloads"), data.comparisons.map(c => c.title), comparison().title, i => choose(i, state.rival));
  buttons($("rivals"), comparison().runs.filter(r => r.nodes.length).map(r => r.rival), state.rival, (i, name) => choose(state.workload, name));
  for (let k = 0; k < 5; ++k) document.documentElement.style.setProperty(`--h${k}`, heat(most * (k / 4) ** 2));
  drawResults();
  drawTree();
  showSelected();
  drawTimeline();
}
$("facts").append(...[...data.facts, data.date].map(f => element("span", { text: f })));
$("search").addEventListener("input", drawRows);
$("hot").addEventListener("click", () => { openHot(); drawRows(); });
$("all").addEventListener("click", () => { state.open = new Set(nodes.map((n, i) => i)); drawRows(); });
$("none").addEventListener("click", () => { state.open = new Set(); drawRows(); });
$("theme").addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; draw(); });
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
addEventListener("resize", () => { drawIcicle(); drawTimeline(); });
timelineEvents();
choose(0, "");
