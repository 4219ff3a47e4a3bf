import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { chooseCommand, collectGiven } from '../../lib/cli/invocation/command-line.ts';
import { createProgram } from '../../lib/commands/program.ts';
import { codeBlocks, readDoc } from '../docs/code-blocks.ts';
import { execForm, inImage } from './containerfile.ts';

const PAGE = readDoc('docs/containers.md');
const [yaml = ''] = codeBlocks(PAGE, 'yaml');
const { template, ...deployment } = parse(yaml).spec;
const [container] = template.spec.containers;
const [VOLUME] = execForm(inImage('VOLUME')[0]);
const CONFIG = execForm(inImage('CMD')[0]).at(-1);

test('the Deployment asks for health as the image does', () => {
  expect(container.livenessProbe.exec.command).toEqual(execForm(inImage('HEALTHCHECK')[0]));
});

test('the Deployment has one listener at a time, with its volume and its configuration', () => {
  expect(deployment).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  const mounts = container.volumeMounts.map((one: { mountPath: string }) => one.mountPath);
  expect(mounts).toEqual([VOLUME, CONFIG?.replace(/\/[^/]+$/, '')]);
  const { runAsUser, runAsGroup, fsGroup } = template.spec.securityContext;
  expect([`${runAsUser}:${runAsGroup}`, `${fsGroup}`]).toEqual([
    inImage('USER')[0],
    inImage('USER')[0]?.split(':')[1],
  ]);
});

test('docker mounts what the Deployment mounts', () => {
  const [commands = ''] = codeBlocks(PAGE, 'sh');
  expect(commands).toContain(`--volume steproll:${VOLUME} `);
  expect(commands).toContain(`:${CONFIG}:ro `);
});

const WORDS = codeBlocks(PAGE, 'sh')
  .flatMap((block) => block.split('\n'))
  .filter((line) => !line.startsWith('docker build'))
  .flatMap((line) => / (?:\S*\/)?steproll ((?:release|agent) .*)$/.exec(line)?.[1] ?? []);

test('three commands of steproll are shown', () => expect(WORDS).toHaveLength(3));

test.each(WORDS)('there is such a command, with options that it takes: %s', (words) => {
  const { program } = createProgram('1.0.0');
  const { command, args } = chooseCommand(program, words.split(' '));
  const { given, mistakes } = collectGiven(command, args);
  expect(mistakes).toEqual([]);
  expect(Object.values(given)).toContain('shop');
});
