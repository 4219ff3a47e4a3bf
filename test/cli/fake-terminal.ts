import { PassThrough } from 'node:stream';

/** A terminal where somebody types these answers, each as soon as a question is asked. */
export function fakeTerminal(answers: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const left = [...answers];
  let shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
    if (/(: |\] )$/.test(plain(shown)) && plain(String(chunk)) !== '') {
      const answer = left.shift();
      if (answer !== undefined) setImmediate(() => input.write(answer));
    }
  });
  return { input, output, shown: () => plain(shown) };
}

/** Without what moves the cursor. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of a terminal
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');
}
