'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const el = (tag, cls, ...kids) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  for (const k of kids) if (k !== null && k !== undefined && k !== '') e.append(k);
  return e;
};
const svg = (tag, attrs, ...kids) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  e.append(...kids);
  return e;
};
const c = data;
const full = n => n.kind + ' ' + (n.namespace ? n.namespace + '/' : '') + n.name;
const state = { words: [], app: '', hidden: new Set(), at: -1, picked: '' };

// Everything that is shown is a row: a part of the page, a text to search, and a way to draw it when it comes into sight.
const many = c.apps.length > 1;
const head = (n, ...tags) => {
  const h = el('div', 'name', el('span', 'kind', n.kind + ' '), (n.namespace ? n.namespace + '/' : '') + n.name);
  if (many && n.app) h.append(el('span', 'tag', n.app));
  for (const t of tags) if (t) h.append(t);
  return h;
};
const rows = [];
const add = (part, n, text, draw) => rows.push({ part, app: n.app || '', key: full(n), find: (full(n) + ' ' + (n.app || '') + ' ' + text).toLowerCase(), draw });

for (const s of data.sections) for (const i of s.items) {
  const cut = i.head.indexOf(' '), title = () => {
    const h = el('div', s.part === 'problems' || s.part === 'blocked' ? 'name removed' : 'name',
      cut > 0 ? el('span', 'kind', i.head.slice(0, cut + 1)) : '', i.head.slice(cut + 1));
    if (i.app) h.append(el('span', 'tag', i.app));
    for (const n of i.notes || []) h.append(el('span', 'tag hot', n));
    return h;
  };
  const lines = i.lines || [], names = i.names || [];
  const text = [...lines.map(l => l.text), ...names].join(' ').toLowerCase();
  rows.push({ part: s.part, app: i.app || '', apps: i.apps || [], key: i.head,
    find: (i.head + ' ' + (i.app || '') + ' ' + text).toLowerCase(), draw: () => [
      title(),
      ...lines.map(l => el('div', s.part === 'problems' ? 'cause mono' : 'cause', l.text, l.at ? el('span', 'where', '  ' + l.at) : null)),
      names.length ? el('details', '', el('summary', '', names.length + ' of them'), el('div', 'cause', names.join(', '))) : null,
    ].filter(Boolean) });
}
for (const o of c.objects) {
  const fields = o.fields || [];
  add('objects', o, fields.map(f => f.path).join(' '), () => {
    const title = head(o, el('span', 'tag ' + o.change, o.change), o.was ? el('span', 'tag', 'was ' + o.was) : null);
    if (!fields.length) return [title];
    const d = el('details', '', el('summary', '', title));
    d.addEventListener('toggle', () => {
      if (d.open && d.childElementCount === 1) d.append(el('div', 'fields', ...fields.map(field)));
    });
    return [d];
  });
}
// A field is a line, or both texts side by side where it has several lines.
function field(f) {
  const head = el('div', 'mono', f.path + ' ', el('span', f.change, f.change));
  const box = el('div', 'field', head);
  if (f.hidden) { head.append(' (hidden)'); return box; }
  if (f.hunks) { box.append(hunks(f.hunks.split('\n'))); return box; }
  const from = f.from ?? '', to = f.to ?? '';
  if ((from + to).includes('\n')) box.append(sideBySide(from.split('\n'), to.split('\n')));
  else if (f.change === 'changed' || f.change === 'reordered') box.append(sideBySide([from], [to]));
  else head.append(' ' + (to || from));
  return box;
}

// hunks shows a unified diff side by side.
function hunks(lines) {
  const two = el('div', 'two mono');
  let del = [], ins = [];
  const flush = () => {
    for (let i = 0; i < Math.max(del.length, ins.length); i++)
      two.append(el('div', i < del.length ? 'del' : '', del[i] ?? ''), el('div', i < ins.length ? 'ins' : '', ins[i] ?? ''));
    del = []; ins = [];
  };
  for (const l of lines) {
    if (l[0] === '-') { if (ins.length) flush(); del.push(l.slice(1)); } else if (l[0] === '+') ins.push(l.slice(1));
    else { flush(); two.append(el('div', '', l.slice(1)), el('div', '', l.slice(1))); }
  }
  flush();
  return two;
}

function sideBySide(a, b) {
  const two = el('div', 'two mono');
  const pair = (x, y, cls) => two.append(el('div', cls && x !== null ? 'del' : '', x ?? ''), el('div', cls && y !== null ? 'ins' : '', y ?? ''));
  const same = common(a, b);
  let i = 0, j = 0;
  for (const [x, y] of [...same, [a.length, b.length]]) {
    while (i < x || j < y) pair(i < x ? a[i++] : null, j < y ? b[j++] : null, true);
    if (x < a.length) pair(a[i++], b[j++], false);
  }
  return two;
}

// common gives the places of the longest common lines; texts are short, so the plain table will do.
function common(a, b) {
  const w = b.length + 1, t = new Uint16Array((a.length + 1) * w), out = [];
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
    t[i * w + j] = a[i] === b[j] ? t[(i + 1) * w + j + 1] + 1 : Math.max(t[(i + 1) * w + j], t[i * w + j + 1]);
  for (let i = 0, j = 0; i < a.length && j < b.length;)
    if (a[i] === b[j]) out.push([i++, j++]); else if (t[(i + 1) * w + j] >= t[i * w + j + 1]) i++; else j++;
  return out;
}

const parts = ['blocked', 'restart', 'noise', 'still', 'unknown', 'quiet', 'objects', 'findings', 'unstable', 'problems'];
const names = { restart: 'restarts', noise: 'for nothing', still: 'waiting', blocked: 'blocked', unknown: 'not known', graph: 'graph', quiet: 'quiet', objects: 'objects', findings: 'findings', unstable: 'unstable', problems: 'failed' };
const page = 300; // rows that are drawn at once
let shown = [];

function fits(r) { return (!state.app || r.app === state.app || (r.apps || []).includes(state.app)) && state.words.every(w => r.find.includes(w)); }

function draw() {
  shown = [];
  for (const part of parts) {
    const section = $(part), list = section.querySelector('ul');
    const all = rows.filter(r => r.part === part), found = all.filter(fits);
    section.hidden = !all.length || state.hidden.has(part);
    const count = section.querySelector('h2 b');
    if (count) count.textContent = found.length === all.length ? all.length : found.length + ' of ' + all.length;
    list.replaceChildren();
    if (section.hidden) continue;
    const more = (from) => {
      for (const r of found.slice(from, from + page)) {
        const li = el('li', '', ...r.draw());
        li.tabIndex = -1; li.dataset.key = r.key;
        list.append(li); shown.push(li);
      }
      if (found.length > from + page) {
        const b = el('button', 'more', (found.length - from - page) + ' more');
        b.type = 'button';
        b.onclick = () => { b.remove(); more(from + page); };
        list.append(b);
      }
    };
    more(0);
  }
  state.at = -1;
  graph();
}

// The graph: configuration on the left, workloads on the right, each edge what is read. What does not fit stays behind the search.
const limit = 400;
function graph() {
  const section = $('graph');
  let edges = c.edges.filter(e => !state.app || e.config.app === state.app);
  if (state.words.length) edges = edges.filter(e => state.words.every(w => (full(e.config) + ' ' + full(e.workload) + ' ' + (e.keys || []).join(' ') + ' ' + (e.config.app || '')).toLowerCase().includes(w)));
  section.hidden = !c.edges.length || state.hidden.has('graph');
  section.querySelector('h2 b').textContent = edges.length === c.edges.length ? edges.length : edges.length + ' of ' + c.edges.length;
  const canvas = $('canvas');
  canvas.replaceChildren();
  if (section.hidden) return;
  edges = [...edges].sort((a, b) => (b.restarts ? 1 : 0) - (a.restarts ? 1 : 0) || (b.changed ? 1 : 0) - (a.changed ? 1 : 0));
  const rest = Math.max(0, edges.length - limit);
  edges = edges.slice(0, limit);
  $('legend').textContent = 'Orange: it changes, and restarts the workload. Click a box to see what belongs to it.' + (rest ? ' ' + rest + ' more edges: search to see them.' : '');
  const left = new Map(), right = new Map();
  const id = n => (n.app || '') + '|' + full(n);
  for (const e of edges) {
    const l = left.get(id(e.config)) || left.set(id(e.config), { n: e.config, y: 0, hot: false }).get(id(e.config));
    l.hot = l.hot || e.changed;
    const r = right.get(id(e.workload)) || right.set(id(e.workload), { n: e.workload, y: 0, hot: false, from: [] }).get(id(e.workload));
    r.hot = r.hot || e.restarts; r.from.push(l);
  }
  const step = 30, top = 14, w = 330, gap = 240;
  [...left.values()].forEach((l, i) => { l.y = top + i * step; });
  const mean = r => r.from.reduce((s, l) => s + l.y, 0) / r.from.length;
  [...right.values()].sort((a, b) => mean(a) - mean(b)).forEach((r, i) => { r.y = top + i * step; });
  const height = top * 2 + step * Math.max(left.size, right.size, 1);
  const root = svg('svg', { width: 2 * w + gap + 20, height, role: 'presentation' });
  const paths = edges.map(e => {
    const a = left.get(id(e.config)), b = right.get(id(e.workload));
    const p = svg('path', { d: `M${w + 10} ${a.y + 10} C${w + 10 + gap / 2} ${a.y + 10} ${w + 10 + gap / 2} ${b.y + 10} ${w + 10 + gap} ${b.y + 10}`, class: e.restarts ? 'hot' : '' });
    p.append(svg('title', {}, full(e.config) + ' → ' + full(e.workload) + ': ' + (e.keys ? e.keys.join(', ') : 'all keys')));
    root.append(p);
    return { p, a, b };
  });
  const boxes = [];
  const box = (x, n) => {
    const label = full(n.n);
    const g = svg('g', { class: 'node' + (n.hot ? ' changed' : ''), transform: `translate(${x} ${n.y})`, tabindex: 0, role: 'button' },
      svg('rect', { width: w, height: 22, rx: 5 }), svg('text', { x: 8, y: 15 }, label.length > 48 ? label.slice(0, 47) + '…' : label), svg('title', {}, label));
    const choose = () => pick(state.picked === id(n.n) ? '' : id(n.n));
    g.addEventListener('click', choose);
    g.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose(); } });
    root.append(g);
    boxes.push({ g, n });
  };
  for (const l of left.values()) box(10, l);
  for (const r of right.values()) box(10 + w + gap, r);
  const pick = key => {
    state.picked = key;
    const near = new Set();
    for (const { a, b } of paths) if (id(a.n) === key || id(b.n) === key) { near.add(a); near.add(b); }
    for (const { p, a, b } of paths) p.classList.toggle('dim', !!key && id(a.n) !== key && id(b.n) !== key);
    for (const { g, n } of boxes) g.classList.toggle('dim', !!key && !near.has(n));
  };
  canvas.append(root);
  if ([...left.keys(), ...right.keys()].includes(state.picked)) pick(state.picked);
}

$('verdict').textContent = data.headline;
document.title = 'rollstamp: ' + data.headline;
$('sides').textContent = [data.sides.filter(Boolean).join(' → '), ...data.facts].filter(Boolean).join(' · ');
const apps = $('app');
apps.append(new Option('all applications', ''));
for (const a of c.apps) if (a.status !== 'same') apps.append(new Option(a.name || '.', a.name));
apps.hidden = !many;
apps.onchange = () => { state.app = apps.value; draw(); };
for (const part of ['restart', 'noise', 'still', 'graph', 'quiet', 'objects', 'findings', 'unstable']) {
  const n = part === 'graph' ? c.edges.length : rows.filter(r => r.part === part).length;
  if (!n) continue;
  const b = el('button', '', names[part] + ' ' + n);
  b.type = 'button';
  b.setAttribute('aria-pressed', 'true');
  b.onclick = () => {
    const off = !state.hidden.has(part);
    if (off) state.hidden.add(part); else state.hidden.delete(part);
    b.setAttribute('aria-pressed', String(!off));
    draw();
  };
  $('kinds').append(b);
}
let waiting = 0;
$('search').addEventListener('input', e => {
  state.words = e.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(draw);
});
const dark = on => document.documentElement.classList.toggle('dark', on);
const media = matchMedia('(prefers-color-scheme: dark)');
dark(media.matches);
media.addEventListener('change', e => dark(e.matches));
$('theme').onclick = () => dark(!document.documentElement.classList.contains('dark'));

function go(step) {
  if (!shown.length) return;
  shown[state.at]?.classList.remove('at');
  state.at = Math.min(shown.length - 1, Math.max(0, state.at + step));
  const li = shown[state.at];
  li.classList.add('at');
  li.focus({ preventScroll: true });
  li.scrollIntoView({ block: 'center' });
}
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = e.target === $('search') || e.target === apps;
  if (e.key === 'Escape') {
    $('search').value = ''; state.words = []; state.picked = ''; $('search').blur(); draw();
  } else if (typing) {
    return;
  } else if (e.key === '/') {
    e.preventDefault(); $('search').focus();
  } else if (e.key === 'j' || e.key === 'k') {
    go(e.key === 'j' ? 1 : -1);
  } else if (e.key === 't') {
    $('theme').click();
  } else if (e.key === 'Enter' && state.at >= 0 && e.target === shown[state.at]) {
    const d = shown[state.at].querySelector('details');
    if (d) d.open = !d.open;
  } else if (e.key === 'g') {
    if (state.at >= 0) { $('search').value = shown[state.at].dataset.key; state.words = $('search').value.toLowerCase().split(/\s+/); draw(); }
    $('graph').scrollIntoView();
  }
});
draw();
