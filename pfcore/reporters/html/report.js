"use strict";
// The graph of the page: what is in focus stands in the URL, as #focus=thm:main&dir=up&depth=2.
(() => {
  const MOST = 120, GAP_X = 26, GAP_Y = 64, HIGH = 46;
  const data = JSON.parse(document.getElementById("network").textContent);
  const { nodes, edges, looks } = data;
  const byId = new Map(nodes.map((node, index) => [node.id, index]));
  const $ = (id) => document.getElementById(id);
  const called = (node) => node.title ? `${node.name} (${node.title})` : node.name;
  // What a person chooses a result by; where two are called alike, its id tells them apart.
  const times = new Map();
  nodes.forEach((node) => times.set(called(node), (times.get(called(node)) ?? 0) + 1));
  const choice = (node) => times.get(called(node)) > 1 ? `${called(node)} [${node.id}]` : called(node);

  function state() {
    const found = new URLSearchParams(location.hash.startsWith("#focus=") ? location.hash.slice(1) : "");
    const dir = ["up", "down", "both"].includes(found.get("dir")) ? found.get("dir") : "both";
    const depth = Math.max(1, Number.parseInt(found.get("depth"), 10) || 2);
    return { focus: found.get("focus") ?? data.start, dir, depth, words: found.get("words") === "1" };
  }

  function fragment(now) {
    const words = now.words ? "&words=1" : "";
    return `#focus=${encodeURIComponent(now.focus)}&dir=${now.dir}&depth=${now.depth}${words}`;
  }

  // The nodes within the depth, breadth first, and the edges between them.
  function around(now) {
    const usable = edges.filter((edge) => now.words || edge[2]);
    const uses = nodes.map(() => []), users = nodes.map(() => []);
    for (const [source, target] of usable) {
      uses[source].push(target);
      users[target].push(source);
    }
    const start = byId.get(now.focus);
    if (start === undefined) return null;
    const near = new Set([start]);
    let more = false;
    for (const next of now.dir === "both" ? [uses, users] : [now.dir === "up" ? uses : users]) {
      let layer = [start];
      for (let step = 0; step < now.depth && layer.length; step++) {
        const following = [];
        for (const target of layer.flatMap((node) => next[node])) {
          if (near.has(target)) continue;
          if (near.size >= MOST) { more = true; break; }
          near.add(target);
          following.push(target);
        }
        layer = following;
      }
    }
    const inside = usable.filter(([source, target]) => near.has(source) && near.has(target));
    return { start, shown: [...near], inside, more };
  }

  // Layers: a result stands below all that it uses; what closes a circle does not count.
  function layers(shown, inside) {
    const uses = new Map(shown.map((node) => [node, []]));
    for (const [source, target] of inside) uses.get(source).push(target);
    const level = new Map(), open = new Set();
    for (const first of shown) {
      const work = [first];
      while (work.length) {
        const node = work.at(-1);
        if (level.has(node)) { work.pop(); continue; }
        open.add(node);
        const waiting = uses.get(node).filter((next) => !level.has(next) && !open.has(next));
        if (waiting.length) { work.push(...waiting); continue; }
        const below = uses.get(node).filter((next) => level.has(next)).map((next) => level.get(next));
        level.set(node, below.length ? 1 + Math.max(...below) : 0);
        open.delete(node);
        work.pop();
      }
    }
    const rows = [];
    for (const node of shown) (rows[level.get(node)] ??= []).push(node);
    return rows;
  }

  // Fewer crossings: each row in the order of the middles of its neighbours; wide rows are folded.
  function ordered(rows, inside, sizes) {
    const place = new Map();
    const settle = () => rows.forEach((row) => row.forEach((node, index) => place.set(node, (index + 1) / (row.length + 1))));
    const near = new Map();
    for (const [source, target] of inside) {
      for (const [one, other] of [[source, target], [target, source]]) {
        if (!near.has(one)) near.set(one, []);
        near.get(one).push(other);
      }
    }
    const middle = (node) => {
      const found = near.get(node);
      return found ? found.reduce((sum, other) => sum + place.get(other), 0) / found.length : place.get(node);
    };
    settle();
    for (let sweep = 0; sweep < 6; sweep++) {
      for (const row of rows) {
        const key = new Map(row.map((node) => [node, middle(node)]));
        row.sort((one, other) => key.get(one) - key.get(other));
      }
      settle();
    }
    return rows.flatMap((row) => {
      const wide = row.reduce((sum, node) => sum + sizes.get(node).width + GAP_X, 0);
      const count = Math.ceil(wide / Math.max(600, $("canvas").clientWidth - 40)), size = Math.ceil(row.length / count);
      return Array.from({ length: count }, (_, index) => row.slice(index * size, (index + 1) * size));
    });
  }

  function make(name, attributes, ...inner) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inner);
    return made;
  }

  const cut = (text, length) => text.length > length ? `${text.slice(0, length - 1)}…` : text;

  function draw(found, now) {
    const boxes = new Map(found.shown.map((node) => {
      const label = `${looks[nodes[node].look][0]} ${cut(nodes[node].name, 26)}`;
      const sub = cut(nodes[node].title, 26);
      return [node, { label, sub, width: Math.max(84, 26 + Math.max(label.length * 7.4, sub.length * 6.2)) }];
    }));
    const rows = ordered(layers(found.shown, found.inside), found.inside, boxes);
    const widths = rows.map((row) => row.reduce((sum, node) => {
      boxes.get(node).x = sum;
      return sum + boxes.get(node).width + GAP_X;
    }, 0) - GAP_X);
    const width = Math.max(...widths) + 40, height = rows.length * (HIGH + GAP_Y) - GAP_Y + 40;
    rows.forEach((row, index) => row.forEach((node) => {
      const box = boxes.get(node);
      box.x += (width - widths[index]) / 2;
      box.y = 20 + index * (HIGH + GAP_Y);
    }));
    const drawing = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": `Graph around ${called(nodes[found.start])}` });
    const tip = make("path", { d: "M0 0 8 4 0 8z" });
    drawing.append(make("defs", {}, make("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4,
      markerWidth: 7, markerHeight: 7, orient: "auto" }, tip)));
    for (const [source, target, plain] of found.inside) drawing.append(edge(boxes.get(source), boxes.get(target), plain));
    for (const node of rows.flat()) drawing.append(shape(node, boxes.get(node), now, node === found.start));
    $("canvas").replaceChildren(drawing);
    const middle = boxes.get(found.start);
    $("canvas").scrollLeft = middle.x + middle.width / 2 - $("canvas").clientWidth / 2;
    $("canvas").scrollTop = middle.y + HIGH / 2 - $("canvas").clientHeight / 2;
  }

  function edge(one, other, plain) {
    const x = one.x + one.width / 2, to = other.x + other.width / 2;
    const up = other.y < one.y, y = one.y + (up ? 0 : HIGH), end = other.y + (up ? HIGH : 0);
    const bend = up ? -GAP_Y / 2 : GAP_Y / 2;
    return make("path", { class: plain ? "edge" : "edge words", "marker-end": "url(#tip)",
      d: `M${x} ${y}C${x} ${y + bend} ${to} ${end - bend} ${to} ${end}` });
  }

  function shape(node, box, now, isFocus) {
    const known = nodes[node], words = looks[known.look][1];
    const middle = box.x + box.width / 2;
    const round = known.box ? 3 : HIGH / 2;
    const link = make("a", { href: fragment({ ...now, focus: known.id }), "data-id": known.id });
    if (isFocus) link.setAttribute("aria-current", "true");
    link.append(make("title", {}, `${called(known)}: ${words}`));
    if (isFocus) link.append(make("rect", { x: box.x - 6, y: box.y - 6, width: box.width + 12,
      height: HIGH + 12, rx: round + 6, class: "edge" }));
    link.append(make("rect", { x: box.x, y: box.y, width: box.width, height: HIGH, rx: round,
      class: `shape ${known.look}` }));
    link.append(make("text", { x: middle, y: box.y + (box.sub ? 20 : 28), "text-anchor": "middle",
      class: known.look }, box.label));
    if (box.sub) link.append(make("text", { x: middle, y: box.y + 36, "text-anchor": "middle",
      class: `sub ${known.look}` }, box.sub));
    return link;
  }

  const sentence = (words, before) => before.endsWith(". ") ? words[0].toUpperCase() + words.slice(1) : words;

  function tell(found, now) {
    const focus = nodes[found.start], read = document.createElement("a");
    read.href = `#${focus.at}`;
    read.textContent = called(focus);
    const ways = { up: "with what it depends on", down: "with what depends on it", both: "in both directions" };
    const why = data.why && now.focus === data.start ? `: ${data.why}. ` : ", ";
    const more = found.more ? `, and more: lower the depth` : "";
    const worded = now.words ? 0 : (around({ ...now, words: true })?.shown.length ?? 1) - found.shown.length;
    const beside = worded > 0 ? ` by citation, ${worded} more by wording` : "";
    $("said").replaceChildren(read, `${why}${sentence(looks[focus.look][1], why)}; ${ways[now.dir]}: ` +
      `${found.shown.length - 1} other ${found.shown.length === 2 ? "result" : "results"}${beside}${more}.`);
    $("list").querySelector("ul").replaceChildren(...found.shown.map((node) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = `#${nodes[node].at}`;
      link.textContent = called(nodes[node]);
      item.append(link, `: ${looks[nodes[node].look][1]}`);
      return item;
    }));
  }

  function show() {
    const now = state(), found = around(now);
    $("dir").value = now.dir;
    $("depth").value = [1, 2, 3, 5].includes(now.depth) ? String(now.depth) : "99";
    $("words").checked = now.words;
    if (!found) {
      $("canvas").replaceChildren();
      $("said").textContent = nodes.length ? `No result ${now.focus}.` : "No results.";
      return;
    }
    $("focus").value = choice(nodes[found.start]);
    draw(found, now);
    tell(found, now);
  }

  // A search finds what was chosen, an id, else the first result whose name, title or id has the words.
  function wanted(text) {
    if (byId.has(text)) return text;
    const chosen = nodes.find((node) => choice(node) === text);
    if (chosen) return chosen.id;
    const words = text.trim().toLowerCase();
    const found = nodes.find((node) => `${called(node)} ${node.id}`.toLowerCase().includes(words));
    return words && found ? found.id : text;
  }

  function chosen() {
    location.hash = fragment({ focus: wanted($("focus").value), dir: $("dir").value,
      depth: $("depth").value, words: $("words").checked });
  }

  function go() {
    if (!location.hash.startsWith("#focus=")) return;
    const held = document.activeElement?.closest?.("svg a") !== null;
    show();
    $("graph").scrollIntoView({ block: "nearest" });
    if (held) $("canvas").querySelector("[aria-current]")?.focus({ preventScroll: true });
  }

  // The filter looks into names and statements; a heading stays where something below it does.
  const listed = [...document.querySelectorAll("nav li")];
  const target = (item) => document.getElementById(item.querySelector("a").getAttribute("href").slice(1));
  const isHeading = (item) => item.classList.contains("section");
  let texts;
  function filter() {
    const words = $("filter").value.trim().toLowerCase();
    texts ??= listed.map((item) => [item, isHeading(item) ? null : target(item)?.querySelector(".statement")]
      .map((part) => part?.textContent ?? "").join(" ").replace(/\s+/g, " ").toLowerCase());
    let heading = [], count = 0;
    listed.forEach((item, index) => {
      if (isHeading(item) && !heading.at(-1)?.open) heading = [];
      const is = words === "" || texts[index].includes(words);
      item.hidden = !is;
      if (isHeading(item)) { heading.push({ item, open: true }); return; }
      heading.forEach((one) => { one.open = false; if (is) one.item.hidden = false; });
      if (is) count += 1;
    });
    $("found").textContent = words === "" ? "" :
      count === 0 ? "No match." : `${count} ${count === 1 ? "match" : "matches"}; Enter opens the first.`;
  }
  function first(event) {
    if (event.key !== "Enter") return;
    const item = listed.find((one) => !one.hidden && !isHeading(one));
    if (item && $("filter").value.trim()) item.querySelector("a").click();
  }
  // The list of contents shows where the page is.
  const places = new Map(listed.filter((item) => !isHeading(item)).map((item) => [target(item), item.querySelector("a")]));
  let current;
  const follow = new IntersectionObserver((entries) => {
    const seen = entries.filter((entry) => entry.isIntersecting).at(-1);
    const link = seen && places.get(seen.target), nav = document.querySelector("nav");
    if (!link || !nav || link === current) return;
    current?.removeAttribute("aria-current");
    (current = link).setAttribute("aria-current", "location");
    const place = link.getBoundingClientRect(), frame = nav.getBoundingClientRect();
    if (!nav.contains(document.activeElement) && (place.top < frame.top || place.bottom > frame.bottom))
      nav.scrollTop += place.top - frame.top - nav.clientHeight / 3;
  }, { rootMargin: "0px 0px -65% 0px" });
  places.forEach((_, article) => article && follow.observe(article));

  // On the map, what a result cites and who cites it, while it is pointed at.
  function trace(event) {
    const link = event.target.closest?.(".map a"), drawing = link?.ownerSVGElement;
    if (!drawing) return;
    const live = drawing.querySelector(".live"), number = Number(link.dataset.n);
    if (event.type === "pointerout" || event.type === "focusout") { live.replaceChildren(); return; }
    const middle = (index) => {
      const box = drawing.querySelector(`a[data-n="${index}"] rect`)?.getBBox();
      return box && [box.x + box.width / 2, box.y + box.height / 2];
    };
    live.replaceChildren(...edges.filter((edge) => edge[2] &&
      (edge[0] === number || edge[1] === number)).flatMap(([source, target]) => {
      const one = middle(source), other = middle(target);
      if (!one || !other) return [];
      const bend = (one[1] + other[1]) / 2 + (one[1] === other[1] ? -24 : 0);
      return [make("path", { class: source === number ? "cites" : "cited",
        d: `M${one}C${one[0]} ${bend} ${other[0]} ${bend} ${other}` })];
    }));
  }
  for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) document.addEventListener(kind, trace);

  // A formula that is too wide shows that it scrolls, and does by keyboard.
  const formulas = document.querySelectorAll("math[display=block]");
  const wide = new ResizeObserver((entries) => {
    // All are measured before any is changed: else each change has the page laid out again.
    const scrolling = entries.map(({ target }) => target.scrollWidth > target.clientWidth + 1);
    entries.forEach(({ target }, index) => {
      if (scrolling[index] === target.classList.contains("scrolls")) return;
      target.classList.toggle("scrolls", scrolling[index]);
      if (scrolling[index]) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    });
  });
  formulas.forEach((formula) => wide.observe(formula));
  // On paper nothing scrolls: what is wider than a page gets smaller, by a class of the style sheet.
  // SHEET is the width of A4 within its margins, in the size of letters that a screen has.
  const SHEET = 780, STEPS = [[3, "small-6"], [2.2, "small-5"], [1.75, "small-4"], [1.5, "small-3"], [1.25, "small-2"], [1, "small-1"]];
  // No formula whose longest row has fewer signs than SHORT is so wide: these are not measured.
  const SHORT = 45, signs = (element) => element.textContent.length;
  const longest = (formula) => {
    const rows = [...formula.querySelectorAll("mtr")].filter((row) => !row.parentElement.closest("mtr"));
    return Math.max(...(rows.length ? rows : [formula]).map(signs));
  };
  const isLong = (formula) => signs(formula) >= SHORT && longest(formula) >= SHORT;
  // In a tagged PDF each sign of a formula would be an element: a formula is one there, with its text.
  // On a screen its signs have roles.
  // What paper does not have takes time even where it is not shown. To each link that leads to no
  // element, as those into the graph do, Chromium walks through the whole page, twice for each sheet.
  const SCREEN = "nav, #graph, .skip, .in-graph, .in-lean, .marked, .notes, .unreached, #lean";
  const away = [], scrolling = [document.scrollingElement, document.querySelector("nav"), $("canvas")];
  let scrolled = [], long;
  addEventListener("afterprint", () => {
    for (const formula of document.querySelectorAll("math")) {
      formula.removeAttribute("role");
      formula.removeAttribute("aria-label");
      for (const sign of formula.children) sign.removeAttribute("aria-hidden");
    }
    for (const [part, place] of away.splice(0)) place.replaceWith(part);
    for (const [element, left, top] of scrolled.splice(0)) element.scrollTo(left, top);
  });
  addEventListener("beforeprint", () => {
    if (!away.length) scrolled = scrolling.map((element) => [element, element.scrollLeft, element.scrollTop]);
    for (const part of document.querySelectorAll(SCREEN)) {
      const place = document.createComment("");
      part.replaceWith(place);
      away.push([part, place]);
    }
    // Of what a result cites and who cites it paper has a line of words: links take long, too.
    for (const part of document.querySelectorAll(".near")) {
      const place = document.createElement("div");
      place.className = "near-on-paper";
      for (const row of part.children) {
        const [name, named] = row.children;
        if (name.textContent !== "Depends on" && name.textContent !== "Used by") continue;
        const words = [...named.querySelectorAll(":scope > .to")].map((one) =>
          one.textContent.replace(one.querySelector(".glyph")?.textContent ?? "", "").trim());
        const line = document.createElement("p");
        line.textContent = cut(`${name.textContent}: ${words.join(", ")}`, 110);
        place.append(line);
      }
      part.replaceWith(place);
      away.push([part, place]);
    }
    for (const formula of document.querySelectorAll("math")) {
      formula.setAttribute("role", "img");
      formula.setAttribute("aria-label", formula.textContent);
      for (const sign of formula.children) sign.setAttribute("aria-hidden", "true");
    }
    // Copies are measured: what is not on the screen has no layout, and to force it takes long.
    const sheet = document.createElement("div");
    sheet.className = "sheet";
    long ??= [...formulas].filter(isLong);
    const copies = long.map((formula) => formula.cloneNode(true));
    copies.forEach((copy) => copy.classList.remove(...STEPS.map(([, name]) => name)));
    sheet.append(...copies);
    document.body.append(sheet);
    const widths = copies.map((copy) => copy.scrollWidth);
    sheet.remove();
    long.forEach((formula, index) => {
      const step = STEPS.find(([times]) => widths[index] > times * SHEET);
      STEPS.forEach(([, name]) => formula.classList.toggle(name, step !== undefined && name === step[1]));
    });
  });
  $("names").append(...nodes.map((node) => {
    const option = document.createElement("option");
    option.value = choice(node);
    return option;
  }));
  $("controls").addEventListener("submit", (event) => { event.preventDefault(); chosen(); });
  $("controls").addEventListener("change", chosen);
  $("filter").addEventListener("input", filter);
  $("filter").addEventListener("keydown", first);
  addEventListener("hashchange", go);
  show();
  go();
})();
