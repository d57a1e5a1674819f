// The page: its sections, what narrows them, and its keys.
const titles = new Map(data.sections.map(s => [s.part, s.title]));
titles.set('graph', data.edges.length && data.objects.length + data.sections.length ? 'Configuration and who reads it' : '');
const order = ['protected', 'moves', 'blocked', 'repeated', 'restart', 'noise', 'still', 'stale', 'unknown', 'graph', 'quiet', 'objects', 'findings', 'unstable', 'problems']
  .filter(part => part === 'graph' ? data.edges.length : rows.get(part)?.length);

const fits = r => (!state.app || r.apps.includes(state.app)) && has(r.text);
const item = r => {
  const li = el('li', '', ...r.draw());
  li.tabIndex = -1;
  li.dataset.key = r.key;
  return li;
};

// listSection draws the rows of a part; objects of several applications by these.
function listSection(part) {
  const all = rows.get(part), found = all.filter(fits);
  const tally = found.length === all.length ? '' : number(found.length) + ' of ' + number(all.length);
  const byApp = part === 'objects' && many, open = found.length <= size;
  return { found: found.length, tally, draw: () => !byApp ? [listOf(found, item)]
    : [pages(el('div', ''), groupBy(found, r => r.apps[0]), ([app, some]) =>
      fold(3, part + ' ' + app, app || '.', count(some.length, 'object'), open, () => [listOf(some, item)]))] };
}

// sectionOf draws a part, or nothing where nothing of it is selected.
function sectionOf(part) {
  const s = part === 'graph' ? graphSection(titles.get(part) ? 3 : 2) : listSection(part);
  if (!s.found) return null;
  const section = el('section', '');
  section.id = part;
  const title = titles.get(part);
  return put(section, title ? fold(2, part, title, s.tally, true, s.draw) : s.draw());
}

function draw() {
  const sections = order.filter(part => !state.part || part === state.part).map(sectionOf).filter(Boolean);
  const note = $('note');
  note.textContent = sections.length ? '' : order.length ? nothing() : data.none;
  note.parentElement.replaceChildren(note, ...sections);
  state.at = -1;
}

// nothing says in a sentence that nothing is found.
function nothing() {
  const where = [state.app ? 'in ' + state.app : '', state.part ? 'in this part' : ''].filter(Boolean).join(' ');
  const what = state.words.length ? ' that matches “' + $('search').value.trim() + '”' : '';
  return 'There is nothing' + (where ? ' ' + where : '') + what + '.';
}

$('verdict').textContent = data.headline;
document.title = 'rollstamp: ' + data.headline;
$('sides').textContent = [data.sides.filter(Boolean).join(' → '), ...data.facts].filter(Boolean).join(' · ');
const choices = (select, all, list) => {
  select.append(new Option(all, ''), ...list.map(([text, value]) => new Option(text, value)));
  select.hidden = list.length < 2;
};
const appNames = new Set([...data.apps.filter(a => a.status !== 'same').map(a => a.name), ...data.edges.map(e => e.workload.app || '')]);
choices($('app'), 'All applications', [...appNames].filter(Boolean).sort().map(a => [a, a]));
const partNames = { protected: 'Protected, and not approved', moves: 'Moves to another place', blocked: 'Will not come up', repeated: 'Restarts at each render', restart: 'Restarts', noise: 'Restarts for nothing', still: 'Changes that wait', stale: 'Stale stamps', unknown: 'Not known here',
  graph: 'Who reads what', quiet: 'Restarts nothing', objects: 'Objects', findings: 'New findings', unstable: 'Different in each render', problems: 'Could not be rendered' };
choices($('part'), 'Everything', order.map(p => [partNames[p], p]));
$('bar').hidden = !order.length;
$('app').onchange = () => { state.app = $('app').value; draw(); };
$('part').onchange = () => { state.part = $('part').value; draw(); };

let waiting = 0;
const search = () => { state.words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean); };
$('search').addEventListener('input', () => {
  search();
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(draw);
});
let wasNarrow = narrow();
addEventListener('resize', () => {
  if (narrow() === wasNarrow) return;
  wasNarrow = narrow();
  $('graph')?.replaceWith(sectionOf('graph'));
});
const dark = on => document.documentElement.classList.toggle('dark', on);
const media = matchMedia('(prefers-color-scheme: dark)');
dark(media.matches);
media.addEventListener('change', e => dark(e.matches));
$('theme').onclick = () => dark(!document.documentElement.classList.contains('dark'));

// go selects the next row, or the one before.
function go(step) {
  const shown = [...document.querySelectorAll('li[data-key]')].filter(li => li.offsetParent);
  if (!shown.length) return;
  document.querySelector('li.at')?.classList.remove('at');
  state.at = Math.min(shown.length - 1, Math.max(0, state.at + step));
  const li = shown[state.at];
  li.classList.add('at');
  li.focus({ preventScroll: true });
  li.scrollIntoView({ block: 'center' });
}

function clear() {
  $('search').value = $('app').value = $('part').value = '';
  Object.assign(state, { words: [], app: '', part: '' });
  $('search').blur();
  draw();
}

const keys = {
  j: () => go(1), k: () => go(-1), t: () => $('theme').click(),
  '/': e => { e.preventDefault(); $('search').focus(); },
  g: () => {
    const key = document.querySelector('li.at')?.dataset.key;
    if (key) { $('search').value = key; search(); draw(); }
    $('graph')?.scrollIntoView();
  },
  Enter: e => {
    const d = e.target.matches?.('li.at') && e.target.querySelector('details');
    if (d) d.open = !d.open;
  },
};
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') clear();
  else if (!e.target.matches?.('input,select')) keys[e.key]?.(e);
});
draw();
