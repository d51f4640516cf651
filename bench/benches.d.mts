/** The peers' folders by their names. */
type Peers = Readonly<Record<"difit" | "portkey" | "ccr", string>>;
export const benches: readonly {
  readonly id: string;
  readonly commands: (options: { readonly short: boolean; readonly peers: Peers }) => readonly string[][];
}[];
export function tablesIn(text: string): Record<string, string>[][];
