/** A long id needs no more room than it takes to tell it from another one. Whoever copies it gets all of it. */
export function Cut({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(LONG).map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          <span key={place} class="cut" title={part}>
            {part}
          </span>
        ),
      )}
    </>
  );
}

/** A generated id, and what else nobody reads to its end. */
const LONG = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[^\s"]{41,})/;
