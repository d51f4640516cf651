/**
 * Replaces a browser language that is not a language tag, such as the `en-US@posix` of Chromium under LANG=C. uPlot
 * formats numbers in that language as soon as it is loaded, and its error would stop the whole dashboard.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}

export {};
