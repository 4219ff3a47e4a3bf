import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Is loaded before a program, and writes down the address of every file that the program loads. */
const loaded = new Set<string>();

registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) loaded.add(url);
    return next(url, context);
  },
});

process.on('exit', () => {
  writeFileSync(process.env.LOADED_FILES ?? '', [...loaded].join('\n'));
});
