// Rows: what the lists of the page hold, with the text by which a search finds them.
const full = n => n.kind + ' ' + (n.namespace ? n.namespace + '/' : '') + n.name;
const many = data.apps.length > 1;
const rows = new Map(); // by part of the report

for (const s of data.sections) rows.set(s.part, s.items.map(i => itemRow(s.part, i)));
if (data.objects.length) rows.set('objects', data.objects.map(objectRow));

function itemRow(part, i) {
  const lines = i.lines || [], names = i.names || [];
  const text = [i.head, i.app, ...lines.map(l => l.text + ' ' + (l.at || '')), ...names].join(' ').toLowerCase();
  return { apps: i.apps || [i.app || (part === 'problems' || part === 'moves' ? i.head : '')], key: names.length ? '' : i.head, text, draw: () => {
    const at = i.head.indexOf(' ');
    const bad = part === 'problems' || part === 'blocked' || part === 'protected' ? ' bad' : '';
    const title = part === 'unknown' || part === 'moves' || names.length ? el('div', 'name' + bad, i.head)
      : el('div', 'name' + bad, at > 0 ? el('span', 'kind', i.head.slice(0, at + 1)) : '', i.head.slice(at + 1));
    if (i.app) title.append(el('span', 'tag', i.app));
    for (const n of i.notes || []) title.append(el('span', 'tag note', n));
    const cls = part === 'problems' ? 'cause mono' : 'cause';
    return [title, ...lines.map(l => el('div', cls, l.text, l.at ? el('span', 'where', l.at) : '')), named(names)];
  } };
}

// named lists names by application: all where they are few, else behind the first.
function named(names) {
  const lines = []; // a name begins with its application and kind only where these change
  for (const n of names) {
    if (/^\S*: /.test(n) || /^\S+ [^\s(]/.test(n) || !lines.length || !many) lines.push([n]);
    else lines.at(-1).push(n);
  }
  if (!lines.length) return null;
  const list = () => el('ul', 'names', ...lines.map(l => el('li', '', l.join(', '))));
  if (names.length <= 3) return list();
  const d = el('details', '', el('summary', '', names[0] + ' and ' + number(names.length - 1) + ' more'));
  d.addEventListener('toggle', () => { if (d.open && d.childElementCount === 1) d.append(list()); });
  return d;
}

function objectRow(o) {
  const fields = o.fields || [];
  return { apps: [o.app || ''], key: full(o), text: (full(o) + ' ' + (o.app || '') + ' ' + fields.map(f => f.path).join(' ')).toLowerCase(), draw: () => {
    const title = el('span', 'name', el('span', 'kind', o.kind + ' '), (o.namespace ? o.namespace + '/' : '') + o.name,
      el('span', 'tag ' + o.change, o.change), o.was ? el('span', 'tag', 'was ' + o.was) : '');
    if (!fields.length) {
      title.classList.add('bare');
      return [title];
    }
    const d = el('details', 'object', el('summary', '', title));
    d.addEventListener('toggle', () => { if (d.open && d.childElementCount === 1) put(d, fields.map(field)); });
    return [d];
  } };
}

// field is a line, or both texts side by side.
function field(f) {
  const head = el('div', 'mono', f.path + ' ', el('span', f.change, f.change));
  const box = el('div', 'field', head);
  const from = f.from ?? '', to = f.to ?? '';
  if (f.hidden) head.append(' (hidden)');
  else if (f.hunks) box.append(sideBySide(f.hunks.split('\n')));
  else if (f.change === 'added' || f.change === 'removed') head.append(' ' + (to || from));
  else box.append(sideBySide(['-' + from, '+' + to]));
  return box;
}

// sideBySide shows a unified diff.
function sideBySide(lines) {
  const two = el('div', 'two mono');
  two.tabIndex = 0;
  two.setAttribute('role', 'group');
  two.setAttribute('aria-label', 'before and after');
  let del = [], ins = [];
  const flush = () => {
    for (let i = 0; i < Math.max(del.length, ins.length); i++)
      two.append(el('div', i < del.length ? 'del' : 'right', del[i]), el('div', i < ins.length ? 'ins' : 'right', ins[i]));
    del = []; ins = [];
  };
  for (const l of lines) {
    if (l[0] === '-') { if (ins.length) flush(); del.push(l.slice(1)); }
    else if (l[0] === '+') ins.push(l.slice(1));
    else if (l.startsWith('@@')) { flush(); two.append(el('div', 'at', 'line ' + (l.match(/\+(\d+)/) || [])[1])); }
    else { flush(); two.append(el('div', '', l.slice(1)), el('div', 'right', l.slice(1))); }
  }
  flush();
  return two;
}
