/** Whether a list item's text starts with a GitHub task box before something on its line, and whether that is ticked. */
export function taskState(content: string): { readonly checked: boolean } | undefined {
  const box = /^\[([ xX])\] (?=[^\S\n]*\S)/.exec(content)?.[1];
  return box === undefined ? undefined : { checked: box !== " " };
}
