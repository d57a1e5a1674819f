(() => {
  const menu = document.getElementById("menu");
  const wide = matchMedia("(min-width: 60rem)");
  const open = () => { menu.open = wide.matches; };
  wide.addEventListener("change", open);
  open();

  const input = document.getElementById("search");
  const results = document.getElementById("results");

  // Each word has to stand in an entry. Words of a title weigh more than those of a text, whole words more than parts.
  const find = (query) => {
    const whole = query.trim().toLowerCase(), words = whole.split(/\s+/);
    const found = [];
    for (const e of entries) {
      const title = e.h.toLowerCase(), page = e.p.toLowerCase(), text = e.t.toLowerCase();
      let score = title === whole ? 100 : title.endsWith(whole) ? 30 : 0;
      for (const w of words) {
        let s = 0;
        if (title.includes(w)) s += 20;
        if (page.includes(w)) s += 5;
        const at = text.indexOf(w);
        if (at >= 0) s += 3 + (/\w/.test(text[at - 1] || " ") ? 0 : 2);
        if (s === 0) { score = 0; break; }
        score += s;
      }
      if (score > 0) found.push({ e, score, words });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 15);
  };

  // The text around the first word, with the words marked.
  const excerpt = (text, words) => {
    const lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((w) => { const i = lower.indexOf(w); return i < 0 ? Infinity : i; }).concat(Infinity)));
    const from = at === Infinity ? 0 : Math.max(0, at - 50);
    const part = (from > 0 ? "… " : "") + text.slice(from, from + 160);
    const small = document.createElement("small");
    const pattern = new RegExp("(" + words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi");
    part.split(pattern).forEach((piece, i) => {
      const node = document.createElement(i % 2 ? "b" : "span");
      node.textContent = piece;
      small.append(node);
    });
    return small;
  };

  const show = () => {
    results.replaceChildren();
    results.hidden = input.value.trim() === "";
    if (results.hidden) return;
    const found = find(input.value);
    for (const { e, words } of found) {
      const item = document.createElement("li"), link = document.createElement("a"), title = document.createElement("strong");
      link.href = e.u;
      title.textContent = e.h === e.p ? e.h : e.p + " › " + e.h;
      link.append(title, excerpt(e.t, words));
      link.addEventListener("click", () => { results.hidden = true; });
      item.append(link);
      results.append(item);
    }
    if (found.length === 0) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing is found.";
      results.append(none);
    }
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) results.hidden = true; });
  document.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      results.hidden = true;
    } else if (!results.hidden && event.key === "Enter" && document.activeElement === input && links.length > 0) {
      links[0].click();
    } else if (!results.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp") && links.length > 0) {
      event.preventDefault();
      (links[at + (event.key === "ArrowDown" ? 1 : -1)] || input).focus();
    }
  });
})();
