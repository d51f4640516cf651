/** Whether a list item's text starts with a GitHub task box, and whether that is ticked. */
export function taskState(content: string): { readonly checked: boolean } | undefined {
  const box = /^\[([ xX])\] /.exec(content)?.[1];
  return box === undefined ? undefined : { checked: box !== " " };
}
