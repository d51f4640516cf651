declare const SALLYPORT_VERSION: string | undefined;

/** The package's version, inserted by the build; `0.0.0-source` when run from source. */
export const version = typeof SALLYPORT_VERSION === "string" ? SALLYPORT_VERSION : "0.0.0-source";
