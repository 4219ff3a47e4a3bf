import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import {
  readListenerFile,
  writeListenerFile,
} from '../../../lib/adapters/listener/listener-file.ts';
import {
  checkScheduleFile,
  readScheduleFile,
} from '../../../lib/adapters/listener/schedule-file.ts';
import { checkStateFile, makeStateFolder } from '../../../lib/adapters/machine/state-folder.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steproll-state-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

const refusal = (message: string) =>
  expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) });
const OTHER = 'or name another state directory with STEPROLL_STATE_DIR.';

describe('the state folder', () => {
  test('is made for its owner alone, with all that lead to it, and may be there already', () => {
    const path = join(home, 'a', 'b', 'c');
    makeStateFolder(path);
    makeStateFolder(path);
    for (const folder of [path, join(home, 'a')]) {
      expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
    }
  });

  test.each([0o777, 0o1777, 0o775, 0o757, 0o720])(
    'is refused with mode %o, and says how to mend it',
    (mode) => {
      const path = join(home, 'state');
      mkdirSync(path);
      chmodSync(path, mode);
      const message = `${path} may be written to by others (mode ${mode.toString(8)}): chmod go-w it, ${OTHER}`;

      expect(() => makeStateFolder(path)).toThrow(refusal(message));
      expect(() => openSqliteLedger(join(path, 'ledger.sqlite'))).toThrow(refusal(message));
      expect(() => writeListenerFile(path, { url: 'http://127.0.0.1:1', token: 'a' })).toThrow(
        refusal(message),
      );
    },
  );

  test.each([0o700, 0o755, 0o750])('may be read by others: mode %o', (mode) => {
    chmodSync(home, mode);
    makeStateFolder(home);
  });

  test('is refused where it belongs to somebody else', () => {
    // Root can give it away; anybody else can only pretend to be another one.
    if (process.getuid?.() === 0) chownSync(home, 12_345, 12_345);
    else jest.replaceProperty(process, 'getuid', () => 12_345);
    expect(() => makeStateFolder(home)).toThrow(refusal('belongs to another user'));
  });

  test('may be a link to a folder that is all right', () => {
    symlinkSync(home, join(home, 'link'));
    makeStateFolder(join(home, 'link'));
  });

  test('is refused where a file is in its place', () => {
    writeFileSync(join(home, 'file'), '');
    expect(() => makeStateFolder(join(home, 'file'))).toThrow(refusal('is no folder'));
  });

  test('that cannot be made ends with an error, also where Node would try for ever', () => {
    expect(() => makeStateFolder('/proc/steproll/state')).toThrow();
  });
});

describe('a file of the state folder', () => {
  const file = () => join(home, 'ledger.sqlite');

  test.each(['', '-wal', '-shm', '-journal'])(
    'is not followed through a link: ledger.sqlite%s',
    (suffix) => {
      const target = join(home, 'elsewhere');
      writeFileSync(target, 'mine');
      symlinkSync(target, file() + suffix);

      expect(() => openSqliteLedger(file())).toThrow(
        refusal(
          `${file()}${suffix} is a symbolic link, which is not followed: move it away, ${OTHER}`,
        ),
      );
      expect(statSync(target).size).toBe(4);
    },
  );

  test('is not followed through a link that leads nowhere yet', () => {
    symlinkSync(join(home, 'nowhere'), file());
    expect(() => openSqliteLedger(file())).toThrow(refusal('is a symbolic link'));
  });

  test('is refused where others may write to it', () => {
    writeFileSync(file(), '');
    chmodSync(file(), 0o666);
    expect(() => openSqliteLedger(file())).toThrow(
      refusal(`${file()} may be written to by others (mode 666)`),
    );
  });

  test('may be missing', () => {
    checkStateFile(file());
  });
});

describe.each([
  ['listener.json', readListenerFile],
  ['schedules.json', readScheduleFile],
  ['schedules.json', checkScheduleFile],
] as const)('%s is opened as the ledger is', (name, open) => {
  const file = () => join(home, name);

  test('not through a link, wherever it leads', () => {
    symlinkSync(join(home, 'nowhere'), file());
    const message = `${file()} is a symbolic link, which is not followed: move it away, ${OTHER}`;
    expect(() => open(home)).toThrow(refusal(message));
    writeFileSync(join(home, 'nowhere'), '{"url":"http://127.0.0.1:1","token":"a"}');
    expect(() => open(home)).toThrow(refusal(message));
  });

  test('a pipe into which nobody writes holds nobody up', () => {
    execFileSync('mkfifo', [file()]);
    expect(() => open(home)).toThrow(refusal(`${file()} is no file: move it away, ${OTHER}`));
  });

  test('not where others may write to it', () => {
    writeFileSync(file(), '{}');
    chmodSync(file(), 0o666);
    expect(() => open(home)).toThrow(refusal('may be written to by others (mode 666)'));
  });
});

test.each([readListenerFile, readScheduleFile])(
  'nothing is read from a folder that others may write to: %p',
  (read) => {
    writeFileSync(join(home, 'listener.json'), '{}');
    chmodSync(home, 0o777);
    expect(() => read(home)).toThrow(refusal('may be written to by others (mode 777)'));
  },
);
