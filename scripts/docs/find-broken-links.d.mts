/** Returns each reference to a file that does not exist, or to a heading that its page does not have. */
export function findBrokenLinks(site: string): readonly { readonly page: string; readonly href: string }[];
