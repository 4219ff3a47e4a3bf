import { parse } from 'ini';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { readText } from './files.ts';

/** The sections of a profiles file by the names of their profiles. Their content is not checked. */
type ProfileSections = ReadonlyMap<string, unknown>;

/**
 * Reads a profiles file, an INI file like the AWS CLI's: `[default]`, `[prod]` or `[profile prod]`. A file that does
 * not exist has no profiles.
 *
 * @throws `InvalidInput` when the file cannot be read, or has text outside of sections, or anything twice.
 */
export function readProfileFile(path: string): ProfileSections {
  const sections = new Map<string, unknown>();
  const text = readOrEmpty(path);
  refuseRepeated(path, text);
  for (const [header, section] of Object.entries(parse(dotsInNames(text)))) {
    if (typeof section !== 'object') {
      throw new SteprollError(
        ErrorName.InvalidInput,
        `${path}: ${header}: put it under a [profile]`,
      );
    }
    // In a map, a name such as `constructor` is a name like any other.
    sections.set(nameOf(header), { ...section });
  }
  return sections;
}

function nameOf(header: string): string {
  return header.replace(/^profile\s+/, '');
}

/** The parser keeps the last of two values, and nobody knows which one was meant. */
function refuseRepeated(path: string, text: string): void {
  const lines = new Map<string, number>();
  let profile = '';
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const [, header, key] = /^\[([^\]]*)\]\s*$|^\s*([^=;#\s][^=]*)/.exec(line) ?? [];
    if (header !== undefined) profile = nameOf(header);
    else if (key === undefined) continue;
    const place = key === undefined ? `[${profile}]` : `[${profile}], ${key.trim()}`;
    const before = lines.get(place);
    if (before !== undefined) {
      const message = `${path}, ${place}: given twice, in lines ${before} and ${index + 1}; keep one of them`;
      throw new SteprollError(ErrorName.InvalidInput, message);
    }
    lines.set(place, index + 1);
  }
}

/** The parser would read a dot in a section's name as a section within a section. */
function dotsInNames(text: string): string {
  return text.replace(/^\[[^\]\n]*\]/gm, (header) => header.replaceAll('.', '\\.'));
}

function readOrEmpty(path: string): string {
  try {
    return readText(path);
  } catch (cause) {
    // Accounts of daemons have a home folder that is not there, or /dev/null.
    if (['ENOENT', 'ENOTDIR'].includes(String((cause as NodeJS.ErrnoException).code))) return '';
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}
