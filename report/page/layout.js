// The layout of a graph: configuration on the left, workloads on the right. Each edge ends in a row of its own, so that
// what it is labelled with never lies on another label.
const rowHeight = 22, boxHeight = 24, gap = 10, topEdge = 12;
const measure = document.createElement('canvas').getContext('2d');
const wide = (text, px) => {
  measure.font = px + 'px ' + getComputedStyle(document.body).fontFamily;
  return Math.ceil(measure.measureText(text).width);
};
const clip = (text, most) => text.length <= most ? text : text.slice(0, most / 2) + '…' + text.slice(1 - most / 2);
const keysOf = e => !e.keys ? 'all keys' : e.keys.length > 3 ? e.keys.slice(0, 2).join(', ') + ' and ' + (e.keys.length - 2) + ' more' : e.keys.join(', ');

// nodesOf returns the boxes of edges and what links them. Two boxes of a side never have one label.
function nodesOf(edges, space) {
  const left = new Map(), right = new Map(), labels = new Map();
  const node = (side, n) => {
    const id = [n.app, n.group, full(n)].join('|');
    if (!side.has(id)) {
      const name = n.kind + ' ' + (n.namespace && n.namespace !== space ? n.namespace + '/' : '') + n.name;
      side.set(id, { n, id, name, label: clip(name, 90), edges: [], hot: false, y: 0 });
    }
    return side.get(id);
  };
  const links = edges.map(e => {
    const link = { e, from: node(left, e.config), to: node(right, e.workload), y: 0 };
    link.from.hot ||= e.changed;
    link.to.hot ||= e.restarts;
    link.from.edges.push(link);
    link.to.edges.push(link);
    return link;
  });
  for (const side of [left, right]) {
    labels.clear();
    for (const n of side.values()) labels.set(n.label, (labels.get(n.label) || 0) + 1);
    let again = 0;
    for (const n of side.values()) if (labels.get(n.label) > 1) n.label += n.n.group ? ' (' + n.n.group + ')' : ' (' + ++again + ')';
  }
  return { left: [...left.values()], right: [...right.values()], links };
}

// islands returns the parts of a graph that no edge joins.
function islands({ left }) {
  const seen = new Set(), out = [];
  for (const start of left) {
    if (seen.has(start)) continue;
    const island = { left: [], right: [] };
    const queue = [start];
    seen.add(start);
    for (let at; (at = queue.pop());) {
      const fromLeft = at.edges[0].from === at;
      (fromLeft ? island.left : island.right).push(at);
      for (const l of at.edges) {
        const next = fromLeft ? l.to : l.from;
        if (!seen.has(next)) { seen.add(next); queue.push(next); }
      }
    }
    out.push(island);
  }
  return out;
}

const mean = (list, of) => list.reduce((s, x) => s + of(x), 0) / list.length;

// place puts the boxes of an island below each other, from a height on, and returns where they end.
function place({ left, right }, y) {
  const byName = (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
  left.sort(byName);
  right.sort(byName);
  for (let sweep = 0; sweep < 3; sweep++) {
    left.forEach((n, i) => { n.at = i; });
    right.sort((a, b) => mean(a.edges, l => l.from.at) - mean(b.edges, l => l.from.at) || byName(a, b));
    right.forEach((n, i) => { n.at = i; });
    left.sort((a, b) => mean(a.edges, l => l.to.at) - mean(b.edges, l => l.to.at) || byName(a, b));
  }
  left.forEach((n, i) => { n.at = i; n.height = boxHeight; });
  for (const n of right) {
    n.edges.sort((a, b) => a.from.at - b.from.at);
    n.height = Math.max(boxHeight, n.edges.length * rowHeight + 2);
  }
  const tall = side => side.reduce((s, n) => s + n.height + gap, 0);
  const height = Math.max(tall(left), tall(right));
  for (const side of [left, right]) {
    const slack = (height - tall(side)) / (side.length + 1);
    let at = y + slack;
    for (const n of side) { n.y = at; at += n.height + gap + slack; }
  }
  for (const n of right) n.edges.forEach((l, i) => { l.y = n.y + n.height / 2 + (i - (n.edges.length - 1) / 2) * rowHeight; });
  return y + height;
}
