import type { Command } from "commander";

export interface ManPageFacts {
  readonly version: string;
  readonly date: string;
  readonly more: Readonly<Record<string, string>>;
}
export function manPage(program: Command, facts: ManPageFacts): string;
