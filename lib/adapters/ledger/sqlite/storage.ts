import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeRecord, encodeRecord, parseStored } from '../../../contract/ledger/envelope.ts';
import { FIELDS, type Field } from '../../../contract/ledger/fields.ts';
import { type LedgerIndex, RUNTIME_INDEX } from '../../../contract/ledger/table.ts';
import { isMet } from '../../../ledger/condition.ts';
import type { Item, Storage, Update } from '../../../ledger/storage.ts';

/** A row for each field, so that a write changes no more of the file than what it is about. */
export function createSqliteStorage(database: DatabaseSync): Storage {
  const get: Storage['get'] = ({ key: { pk, sk }, fields, isClaim = false }) => {
    const names = fields.map(() => '?').join();
    const rows = database
      .prepare(
        `SELECT name, value FROM field WHERE pk = ? AND sk = ? AND name IN (${names})
           AND value IS NOT NULL ORDER BY name, seq`,
      )
      .all(pk, sk, ...fields);
    return (isClaim ? toClaim : toItem)(parseStored(fieldRows, rows));
  };

  /** Only with the names as part of the statement does SQLite use the indexes, which have these names alone. */
  const toQuery = ({ key, sort }: LedgerIndex, value: string): string => {
    if (sort === undefined) {
      return `SELECT pk, sk FROM field WHERE name = '${key}' AND value = ? AND ${BEGINS('pk')}
        ORDER BY pk, sk LIMIT ?`;
    }
    const from = isRare(key, value)
      ? 'field key CROSS JOIN field sort'
      : 'field sort CROSS JOIN field key';
    return `SELECT key.pk, key.sk FROM ${from} USING (pk, sk)
      WHERE sort.name = '${sort}' AND key.name = '${key}' AND key.value = ? AND ${BEGINS('key.pk')}
      ORDER BY sort.value DESC, sort.pk LIMIT ?`;
  };

  /** A few are put in order. Of many the newest are soon found by looking through all, the newest first. */
  const isRare = (key: string, value: string): boolean => {
    if (key !== RUNTIME_INDEX.key) return false;
    const sql = `SELECT count(*) AS found FROM
      (SELECT 1 FROM field WHERE name = '${key}' AND value = ? LIMIT ${MANY})`;
    return Number(database.prepare(sql).get(value)?.found) < MANY;
  };

  const isSo = ({ key, only }: Required<Update>['given']) =>
    isMet(only, get({ key, fields: Object.keys(only) as Field[] }));

  return {
    get,
    list({ pk }) {
      const rows = database
        .prepare(
          'SELECT sk, name, value FROM field WHERE pk = ? AND value IS NOT NULL ORDER BY sk, name, seq',
        )
        .all(pk);
      const items = Map.groupBy(parseStored(itemRows, rows), ({ sk }) => sk);
      return [...items].map(([sk, of]) => ({ key: { pk, sk }, item: toItem(of) }));
    },
    listKeys({ pk, most }) {
      const rows = database
        .prepare(
          'SELECT DISTINCT pk, sk FROM field WHERE pk = ? AND value IS NOT NULL ORDER BY sk LIMIT ?',
        )
        .all(pk, most);
      return parseStored(keyRows, rows).map((key) => ({ key }));
    },
    find({ index, value, prefix, newest = -1, fields }) {
      const query = database.prepare(toQuery(index, value));
      const keys = parseStored(keyRows, query.all(value, prefix.length, prefix, newest));
      return keys.map((key) => ({ key, item: get({ key, fields }) }));
    },
    update({ key, set = {}, add = {}, only, given }) {
      if (!isSo({ key, only }) || !(given === undefined || isSo(given))) return false;
      const { pk, sk } = key;
      for (const [name, value] of Object.entries(set)) {
        if (value === null) database.prepare(REMOVE).run(pk, sk, name);
        else database.prepare(SET).run(pk, sk, name, toStored(value));
      }
      for (const [name, values] of Object.entries(add)) {
        // Entries of a log are read many at a time, the records of a list one by one.
        const rows = FIELDS[name as Field].kind === 'log' ? [values] : values;
        for (const row of rows) database.prepare(ADD).run(pk, sk, name, encodeRecord(row));
      }
      return true;
    },
  };
}

const MANY = 1_000;

const BEGINS = (name: string) => `substr(${name}, 1, ?) = ?`;

const SET = `INSERT INTO field VALUES (?, ?, ?, 0, ?)
  ON CONFLICT DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value`;
// To delete a row would write to more pages of the file.
const REMOVE = 'UPDATE field SET value = NULL WHERE pk = ? AND sk = ? AND name = ?';
const ADD = `INSERT INTO field VALUES (?1, ?2, ?3, coalesce((SELECT seq + 1 FROM field
  WHERE pk = ?1 AND sk = ?2 AND name = ?3 ORDER BY seq DESC LIMIT 1), 0), ?4)`;

function toStored(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : encodeRecord(value);
}

const decoders = new Map(
  Object.entries(FIELDS).map(([name, { schema }]) => [
    name,
    rememberDecoded<unknown>(schema as z.ZodType),
  ]),
);

/** Fields that a newer steproll has added are skipped. */
function toItem(rows: z.infer<typeof fieldRows>): Item {
  const fields = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries(
    [...fields]
      .filter(([name]) => name in FIELDS)
      .map(([name, of]) => [
        name,
        toValue(
          name as Field,
          of.map(({ value }) => value),
        ),
      ]),
  );
}

/** The same of an item that people may write past every rule. */
function toClaim(rows: z.infer<typeof fieldRows>): Item {
  try {
    return toItem(rows);
  } catch {
    return {};
  }
}

function toValue(name: Field, stored: readonly (string | number)[]): unknown {
  const { kind, schema } = FIELDS[name];
  if (kind === 'plain') return parseStored(schema as z.ZodType, stored[0]);
  const values = decoders.get(name)?.(stored.map(String)) ?? [];
  if (kind === 'log') return values.flat();
  return kind === 'list' ? values : values[0];
}

const keyRow = z.object({ pk: z.string(), sk: z.string() });
const keyRows = z.array(keyRow);
const fieldRow = z.object({ name: z.string(), value: z.union([z.string(), z.number()]) });
const fieldRows = z.array(fieldRow);
const itemRows = z.array(fieldRow.extend(keyRow.pick({ sk: true }).shape));

/**
 * A decoder that decodes no text again that the previous read had at the same place. The plan and the journal of
 * 10,000 endpoints are read at every step of their rollout.
 */
export function rememberDecoded<T>(schema: z.ZodType<T>) {
  let before: readonly { readonly text: string; readonly value: T }[] = [];
  return (texts: readonly string[]): readonly T[] => {
    before = texts.map((text, index) => {
      const known = before[index];
      return known?.text === text ? known : { text, value: decodeRecord(schema, text) };
    });
    return before.map(({ value }) => value);
  };
}
