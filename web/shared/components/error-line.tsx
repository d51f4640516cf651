/** Why what was tried did not work; nothing as long as it has not failed. Read out at once. */
export function ErrorLine({ error }: { readonly error: string | undefined }) {
  if (error === undefined || error === "") return null;
  return (
    <p className="dialog-error" role="alert">
      {error}
    </p>
  );
}
