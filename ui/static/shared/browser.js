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
