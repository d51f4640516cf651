declare const SALLYPORT_VERSION: string | undefined;

/** The package's version; the build puts it in, source runs say so. */
export const version = typeof SALLYPORT_VERSION === "string" ? SALLYPORT_VERSION : "0.0.0-source";
