/** Whether the sidebars lie over the diff instead of beside it; `tree.css` has the same width. */
export const liesOverDiff = (): boolean => matchMedia("(max-width: 60rem)").matches;
