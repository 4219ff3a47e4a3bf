/** What has gone wrong, told at once. `null`: nothing. */
export function Trouble({ fault }: { readonly fault: string | null }) {
  if (fault === null) return null;
  return (
    <p class="trouble" role="alert">
      {fault}
    </p>
  );
}
