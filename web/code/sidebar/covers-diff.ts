/** Returns whether the sidebars cover the diff. `tree.css` uses the same width. */
export const coversDiff = (): boolean => matchMedia("(max-width: 60rem)").matches;
