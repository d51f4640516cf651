/** Whether the sidebars lie over the diff instead of beside it; `tree.css` has the same width. */
export const coversDiff = (): boolean => matchMedia("(max-width: 60rem)").matches;
