'use strict';
// What the page is made of: the data, short ways to make elements, and what folds and pages.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const put = (e, kids) => {
  for (const k of kids) if (k !== null && k !== undefined && k !== '') e.append(k);
  return e;
};
const el = (tag, cls, ...kids) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  return put(e, kids);
};
const svg = (tag, attrs, ...kids) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attrs)) if (v !== '') e.setAttribute(k, v);
  return put(e, kids);
};
// number writes a count as the other reports do.
const number = n => String(n);
const showMore = (n, rest) => n < rest ? 'Show ' + number(n) + ' of ' + number(rest) + ' more' : 'Show ' + number(rest) + ' more';
const count = (n, one, many) => number(n) + ' ' + (n === 1 ? one : many || one + 's');

// What is selected. It changes with the bar and the keys, and everything is drawn from it.
const state = { words: [], app: '', part: '', at: -1, folds: new Map() };
const narrowed = () => state.words.length > 0 || state.app !== '';
const has = text => state.words.every(w => text.includes(w));

// fold is a heading that opens and closes what draw returns. Nothing is drawn before it is opened.
function fold(level, id, title, tally, open, draw) {
  const button = el('button', 'fold', el('span', '', title, tally ? el('span', 'count', '  ' + tally) : ''));
  button.type = 'button';
  const body = el('div', '');
  const show = on => {
    button.setAttribute('aria-expanded', String(on));
    body.hidden = !on;
    if (on && !body.childElementCount) put(body, draw());
  };
  button.onclick = () => {
    const on = button.getAttribute('aria-expanded') !== 'true';
    state.folds.set(id, on);
    show(on);
  };
  show(state.folds.get(id) ?? open);
  return [el('h' + level, '', button), body];
}

const size = 25; // rows of a list that are drawn at once

// pages draws rows into a box, and as many more as are asked for.
function pages(box, rows, draw, frame = b => b) {
  const more = from => {
    put(box, rows.slice(from, from + size).flatMap(draw));
    const rest = rows.length - from - size;
    if (rest <= 0) return box;
    const button = el('button', 'more', showMore(size, rest));
    button.type = 'button';
    const last = frame(button);
    button.onclick = () => {
      const next = box.childElementCount - 1;
      last.remove();
      more(from + size);
      const row = box.children[next];
      (row.querySelector('button') || row).focus({ preventScroll: true });
    };
    box.append(last);
    return box;
  };
  return more(0);
}

const listOf = (rows, draw) => pages(el('ul', 'list'), rows, draw, button => el('li', '', button));
