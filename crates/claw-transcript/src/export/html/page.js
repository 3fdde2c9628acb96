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
    // Ids are plain, so an address that would need decoding names nothing here.
    const id = location.hash.slice(1);
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
  let toggle;
  if (place) {
    if (document.querySelector("main details")) {
      toggle = button("Unfold", "Show or fold tools, thinking and subagents (f)", () => {
        const open = toggle.textContent === "Unfold";
        for (const fold of document.querySelectorAll("main details:not(.more)")) fold.open = open;
        toggle.textContent = open ? "Fold" : "Unfold";
      });
    }
    button("◐", "Light or dark", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    });
  }
  // Paper does not unfold: print all, then fold again what was folded.
  let printed = [];
  addEventListener("beforeprint", () => {
    printed = [...document.querySelectorAll("main details:not([open])")];
    for (const fold of printed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of printed) fold.open = false;
    printed = [];
  });
  // On a narrow page the list of prompts stands before them: folded until somebody wants it.
  const list = document.querySelector("nav > details");
  if (list && !matchMedia("(min-width: 76rem)").matches) list.open = false;
  // From prompt to prompt with j and k; f folds.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea)$/.test(event.target.localName)) return;
    if (event.key === "f") toggle?.click();
    const step = { j: 1, k: -1 }[event.key];
    if (!step) return;
    const prompts = [...document.querySelectorAll("main > .m.u")];
    const now = prompts.findIndex((prompt) => prompt.getBoundingClientRect().top > 60);
    const at = step > 0 ? (now < 0 ? -1 : now) : (now < 0 ? prompts.length : now) - 2;
    (prompts[at] || prompts[0])?.scrollIntoView();
  });
  // Where the reader is, in the list of prompts: at the last one that is not below.
  const links = [...document.querySelectorAll("nav a")];
  if (links.length && "IntersectionObserver" in window) {
    const above = new Set();
    let on;
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) above[entry.isIntersecting ? "add" : "delete"](entry.target.id);
      on?.classList.remove("on");
      on = links.findLast((link) => above.has(link.hash.slice(1))) || links[0];
      on.classList.add("on");
    }, { rootMargin: "100000000px 0px -70% 0px" });
    for (const link of links) {
      const prompt = document.getElementById(link.hash.slice(1));
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
