interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
}

interface Page {
  readonly path: string;
  readonly text: string;
  readonly file: {
    readonly document: {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
  };
}

export function createApiPages(): Promise<readonly Page[]>;
