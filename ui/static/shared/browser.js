// What a panel does with the browser: sizes of fields, lists to choose from, copies and files.

import { words } from "./server.js";

/** Make a field as high as what is written in it. */
export function growToFit(field) {
  // To measure a very long text takes seconds; it fills the field anyway.
  const isLong = field.value.length > 5000;
  field.style.height = isLong ? "40dvh" : "auto";
  if (!isLong) field.style.height = `${field.scrollHeight + 2}px`;
}

/** How to scroll, for somebody who may want nothing to move. */
export function calmly() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** Copy a text, and say so on the button; by way of a field where the browser refuses, as in a frame of another site. */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.className = "visually-hidden";
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus({ preventScroll: true });
  }
  button.textContent = words.copied;
}

const WALK_MS = 700;
const walks = new WeakMap(); // lists through which arrow keys walk, each with the timer of where they rest

/**
 * Return what listens to a list of which `value` is chosen: something is chosen at once, but of what arrow keys walk
 * through, what they rest on or leave it at. Until `choose` has done it, the list shows what stands.
 */
export function onChosen(value, choose) {
  const settle = (list) => {
    clearTimeout(walks.get(list));
    const chosen = list.value;
    list.value = value;
    if (chosen !== value) choose(chosen);
  };
  return {
    pointed: ({ target }) => walks.delete(target),
    walked: ({ target }) => walks.has(target) || walks.set(target, 0),
    changed: ({ target }) => {
      clearTimeout(walks.get(target));
      if (walks.has(target)) walks.set(target, setTimeout(settle, WALK_MS, target));
      else settle(target);
    },
    left: ({ target }) => settle(target),
  };
}

/** Return the bytes of a file, or of a part of one, in base64. Rejects where it cannot be read. */
export async function readBytes(file) {
  const reader = new FileReader();
  const read = new Promise((resolve, reject) => Object.assign(reader, { onload: resolve, onerror: reject }));
  reader.readAsDataURL(file);
  await read;
  return String(reader.result).split(",")[1] ?? ""; // of "data:…;base64," and the bytes
}

/** Save a text as a file of today. */
export function saveFile(content, name, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
