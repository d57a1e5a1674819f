// The graph: by application and namespace, configuration on the left and the workloads that read it on the right.
const edgeText = new Map(data.edges.map(e => [e, (full(e.config) + ' ' + full(e.workload) + ' ' + (e.keys || []).join(' ') + ' ' + (e.workload.app || '')).toLowerCase()]));
const edgeClass = e => e.restarts ? 'hot' : e.changed ? 'wait' : '';
const narrow = () => document.querySelector('main').clientWidth < 620;
const atOnce = 60; // edges of a graph that are drawn at once

function groupBy(list, key) {
  const out = new Map();
  for (const x of list) out.get(key(x))?.push(x) ?? out.set(key(x), [x]);
  return [...out].sort(([a], [b]) => a < b ? -1 : 1);
}

// graphSection draws the graphs of all applications that have something to show.
function graphSection(level) {
  const edges = data.edges.filter(e => (!state.app || (e.workload.app || '') === state.app) && has(edgeText.get(e)));
  if (!edges.length) return { found: 0, draw: () => [] };
  const tally = edges.length < data.edges.length ? number(edges.length) + ' of ' + number(data.edges.length) : '';
  return { found: edges.length, tally, draw: () => [legend(edges), ...panels(edges, level)] };
}

function panels(edges, level) {
  const open = edges.length <= atOnce;
  return [pages(el('div', ''), groupBy(edges, e => e.workload.app || ''), ([app, all]) => {
    const draw = () => groupBy(all, e => e.workload.namespace || '').flatMap(([space, some]) => [
      space ? el('p', 'hint', 'Namespace ' + space) : '', picture(some, space, [app, space].filter(Boolean).join(', namespace ')),
    ]);
    return app ? fold(level, 'graph ' + app, app, summary(all), open, draw) : draw();
  })];
}

// counted are the workloads that the headline counts elsewhere: they will not come up, or restart at each render.
const whole = n => (n.app || '') + ' ' + full(n);
const counted = new Set(data.counted.map(whole));

function summary(edges) {
  const restarts = new Set(edges.filter(e => e.restarts).map(e => whole(e.workload)).filter(n => !counted.has(n))).size;
  return count(edges.length, 'reference') + (restarts ? ', ' + count(restarts, 'workload') + ' restart' + (restarts === 1 ? 's' : '') : '');
}

// legend explains the lines that there are.
function legend(edges) {
  const words = { hot: 'changes, and restarts the workload', wait: 'changes, and does not restart it', '': 'does not change' };
  const kinds = Object.keys(words).filter(k => edges.some(e => edgeClass(e) === k));
  const box = el('p', 'hint legend', narrow() ? 'Below each object are the workloads that read it, with the keys that they read.'
    : 'Configuration on the left, who reads it on the right, and on each line the keys that are read.');
  if (kinds.length === 1 && kinds[0] === '') return box;
  if (narrow()) return put(box, [' Orange is what changes, and what restarts for it.']);
  for (const k of kinds) box.append(el('span', 'graph-line',
    svg('svg', { width: 28, height: 10, 'aria-hidden': 'true' }, svg('path', { d: 'M0 5H28', class: k, fill: 'none' })), words[k]));
  return box;
}

// picture draws the edges of a namespace, and as many more as are asked for.
function picture(edges, space, name) {
  const box = el('div', '');
  const draw = most => {
    const rest = edges.length - most;
    box.replaceChildren((narrow() ? tree : drawing)(edges.slice(0, most), space, name));
    if (rest <= 0) return;
    const button = el('button', 'more', showMore(2 * most, rest) + (rest === 1 ? ' reference' : ' references'));
    button.type = 'button';
    button.onclick = () => draw(3 * most);
    box.append(button);
  };
  draw(atOnce);
  return box;
}

// tree is the graph where there is no room for a drawing.
function tree(edges, space) {
  const lines = groupBy(edges, e => e.config.kind + ' ' + e.config.name).map(([config, some]) => el('li', '',
    el('span', some.some(e => e.changed) ? 'hot' : '', config),
    el('ul', '', ...some.map(e => el('li', '', el('span', e.restarts ? 'hot' : '', e.workload.kind + ' ' + e.workload.name), el('span', 'tag', keysOf(e)))))));
  return el('ul', 'list tree', ...lines);
}

function drawing(edges, space, name) {
  const nodes = nodesOf(edges, space);
  let height = topEdge;
  for (const island of islands(nodes)) height = place(island, height);
  const widest = (list, px) => Math.max(...list.map(t => wide(t, px)));
  const w = widest(nodes.left.map(n => n.label), 13) + 20, v = widest(nodes.right.map(n => n.label), 13) + 20;
  const text = Math.min(widest(edges.map(e => clip(keysOf(e), 60)), 12), 420) + 26;
  const room = document.querySelector('main').clientWidth - 52;
  const curve = Math.max(70, Math.min(240, room - w - v - text - 24));
  const x = 12 + w, bend = x + curve, end = bend + text;
  const root = svg('svg', { width: end + v + 12, height, role: 'group', 'aria-label': 'Who reads what' + (name ? ' in ' + name : '') });
  const lines = nodes.links.map(l => {
    const y = l.from.y + l.from.height / 2, mid = x + curve / 2;
    const line = svg('g', {}, svg('path', { d: `M${x} ${y} C${mid} ${y} ${mid} ${l.y} ${bend} ${l.y} H${end}`, class: edgeClass(l.e) }),
      svg('text', { x: bend + 6, y: l.y + 4, class: 'key' }, clip(keysOf(l.e), 60)),
      svg('title', {}, l.from.name + ' → ' + l.to.name + ': ' + (l.e.keys ? l.e.keys.join(', ') : 'all keys')));
    root.append(line);
    return { line, l };
  });
  let picked = null;
  const boxes = [];
  const pick = n => {
    picked = n;
    const near = new Set(n ? [n, ...n.edges.flatMap(l => [l.from, l.to])] : []);
    for (const { line, l } of lines) line.classList.toggle('dim', !!n && l.from !== n && l.to !== n);
    for (const { g, of } of boxes) {
      g.classList.toggle('dim', !!n && !near.has(of));
      g.setAttribute('aria-pressed', String(of === n));
    }
  };
  const box = (left, width) => n => {
    const g = svg('g', { class: 'node' + (n.hot ? ' hot' : ''), transform: `translate(${left} ${n.y})`, tabindex: 0, role: 'button', 'aria-pressed': 'false', 'aria-label': n.name },
      svg('rect', { width, height: n.height, rx: 5 }), svg('text', { x: 10, y: n.height / 2 + 5 }, n.label), svg('title', {}, n.name));
    const choose = () => pick(picked === n ? null : n);
    g.addEventListener('click', choose);
    g.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose(); } });
    root.append(g);
    boxes.push({ g, of: n });
  };
  nodes.left.forEach(box(12, w));
  nodes.right.forEach(box(end, v));
  return el('div', 'graph', root);
}
