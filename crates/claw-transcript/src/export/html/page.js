"use strict";
(() => {
  const root = document.documentElement;
  const place = document.getElementById("js");
  const button = (text, title, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.title = title;
    made.addEventListener("click", act);
    place.append(made);
    return made;
  };
  // Whatever an address names must be seen, however deep it is folded.
  const show = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
  if (place) {
    const folds = () => document.querySelectorAll("main details:not(.more)");
    button("Unfold", "Show tools, thinking and subagents", () => folds().forEach((fold) => { fold.open = true; }));
    button("Fold", "Fold them all", () => folds().forEach((fold) => { fold.open = false; }));
    button("◐", "Light or dark", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    });
  }
  // From prompt to prompt with j and k.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea)$/.test(event.target.localName)) return;
    const step = { j: 1, k: -1 }[event.key];
    if (!step) return;
    const prompts = [...document.querySelectorAll("main > .m.u")];
    const now = prompts.findIndex((prompt) => prompt.getBoundingClientRect().top > 60);
    const at = step > 0 ? (now < 0 ? -1 : now) : (now < 0 ? prompts.length : now) - 2;
    (prompts[at] || prompts[0])?.scrollIntoView();
  });
  // Where the reader is, in the list of prompts.
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  if (links.size && "IntersectionObserver" in window) {
    let on;
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        on?.classList.remove("on");
        on = links.get(entry.target.id);
        on?.classList.add("on");
      }
    }, { rootMargin: "0px 0px -70% 0px" });
    for (const id of links.keys()) {
      const prompt = document.getElementById(id);
      if (prompt) seen.observe(prompt);
    }
  }
  // The list of sessions, narrowed by words.
  const search = document.getElementById("q");
  search?.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const item of document.querySelectorAll(".list li")) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  });
})();
