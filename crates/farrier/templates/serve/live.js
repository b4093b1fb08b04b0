// Keeps the page up to date: asks for it again, and changes only what differs.
// What the user has done stays: the focus, what is open, how far something is scrolled.
"use strict";

const INTERVAL = 2000;
const LONGEST = 30000;

const live = document.getElementById("live");
const words = document.getElementById("live-words");
const pause = document.getElementById("pause");
let tag = null;
let wait = INTERVAL;
let timer = 0;
let paused = false;

function say(state, text) {
  live.className = "live " + state;
  // Screen readers are told only what is new.
  if (words.textContent !== text) words.textContent = text;
}

function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 90) return seconds + " s ago";
  if (seconds < 5400) return Math.round(seconds / 60) + " min ago";
  if (seconds < 129600) return Math.round(seconds / 3600) + " h ago";
  return Math.round(seconds / 86400) + " days ago";
}

function age(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    if (!time.title) time.title = time.textContent + " UTC";
    const text = ago(time.dateTime);
    if (time.textContent !== text) time.textContent = text;
  }
}

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.id === other.id;
}

function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) {
    // What is open is the choice of the user; what was new goes out by itself.
    if (!fresh.hasAttribute(name) && name !== "open" && name !== "class") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const known = new Map();
  for (const child of old.children) if (child.id) known.set(child.id, child);
  let place = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const same = child.id ? known.get(child.id) : null;
    if (same && same !== place) {
      old.insertBefore(same, place);
      morph(same, child);
    } else if (place && alike(place, child)) {
      const next = place.nextSibling;
      morph(place, child);
      place = next;
    } else {
      if (child.id) child.classList.add("fresh");
      old.insertBefore(child, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

async function update() {
  const headers = tag ? { "If-None-Match": tag } : {};
  const response = await fetch(location.pathname + location.search, { headers, cache: "no-store" });
  if (response.status === 304) return;
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // Another version of Farrier has another script.
  const script = (root) => root.querySelector("script[src]").getAttribute("src");
  if (script(page) !== script(document)) return location.reload();
  tag = response.headers.get("ETag");
  age(page);
  for (const name of ["h1", "main"]) morph(document.querySelector(name), page.querySelector(name));
  document.title = page.title;
}

async function turn() {
  clearTimeout(timer);
  if (paused || document.hidden) return;
  try {
    await update();
    wait = INTERVAL;
    say("", "live");
  } catch (error) {
    wait = Math.min(wait * 2, LONGEST);
    say("lost", "no connection to the server");
  }
  age(document);
  timer = setTimeout(turn, wait);
}

pause.addEventListener("click", () => {
  paused = !paused;
  pause.textContent = paused ? "Continue" : "Pause";
  say(paused ? "paused" : "", paused ? "paused" : "live");
  turn();
});
document.addEventListener("visibilitychange", turn);

live.hidden = false;
age(document);
timer = setTimeout(turn, INTERVAL);
