/** Whether `text` matches `pattern`, where `*` stands for any run of characters. Linear in the text. */
export function matchesGlob(pattern: string, text: string): boolean {
  // Most patterns are plain words, and they are compared very often.
  if (!pattern.includes('*')) return text === pattern;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
