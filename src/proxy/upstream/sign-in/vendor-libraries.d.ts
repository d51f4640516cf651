/** Declares the used members of vendors' libraries, because checking the libraries' own types is slow. */

declare module "@aws-sdk/credential-provider-node" {
  interface FoundCredentials {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    readonly expiration?: Date;
  }
  /** Returns a function that finds credentials and renews them five minutes before they expire. */
  export function defaultProvider(init?: {
    readonly profile?: string;
  }): (options?: { readonly forceRefresh?: boolean }) => Promise<FoundCredentials>;
}

declare module "@smithy/signature-v4" {
  interface HttpRequest {
    readonly method: string;
    readonly protocol: string;
    readonly hostname: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  }
  interface Hash {
    update(data: string | ArrayBuffer | ArrayBufferView): void;
    digest(): Promise<Uint8Array>;
    reset(): void;
  }
  export class SignatureV4 {
    constructor(init: {
      readonly service: string;
      readonly region: string;
      readonly credentials: () => Promise<{
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string;
      }>;
      readonly sha256: new (secret?: string | ArrayBuffer | ArrayBufferView) => Hash;
    });
    sign(
      request: HttpRequest,
      options?: { readonly signingDate?: Date },
    ): Promise<{ readonly headers: Readonly<Record<string, string>> }>;
  }
}
