import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { recordScreen } from './record-screen.ts';
import { THEMES, toSvg } from './to-svg.ts';

const SIZE = { columns: 40, rows: 3 };

describe('a recorded screen', () => {
  test('has what stays above what is drawn, and no more than its rows', () => {
    const { screen, shots } = recordScreen(5, 3);
    screen.line('one\ntwo');
    screen.frame(['three', 'four']);
    screen.endFrame();
    screen.line('five,six');

    expect(shots.map(({ lines }) => lines)).toEqual([
      ['one', 'two'],
      ['two', 'three', 'four'],
      ['four', 'five,', 'six'],
    ]);
  });
});

describe('a picture of shots', () => {
  const red = styleText('red', 'a < b & "c"', { validateStream: false });
  const shots = [
    { at: 0, lines: ['plain', ''] },
    { at: 2_000, lines: ['plain', red] },
  ];
  const svg = toSvg(shots, SIZE, THEMES.dark, 'A <title>');

  test('has each line once, with its colours, and nothing that is not text', () => {
    expect(svg.match(/>plain</g)).toHaveLength(1);
    expect(svg).toContain('class="c31">a &lt; b &amp; &quot;c&quot;</tspan>');
    expect(svg).toContain('<title>A &lt;title></title>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there.
    expect(svg).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test('shows one shot after another, and the last one alone without motion', () => {
    expect(svg).toContain('@keyframes k0{0.00%{opacity:1}20.00%{opacity:0}}');
    expect(svg).toContain('@keyframes k1{0%{opacity:0}20.00%{opacity:1}}');
    expect(svg).toContain('.s1{animation:k1 10000ms step-end infinite}');
    expect(svg).toMatch(
      /prefers-reduced-motion:reduce\)\{g\[class\]\{[^}]*opacity:0\}g\.s1\{opacity:1\}/,
    );
  });
});

test.each(['light', 'dark'])('the README has the picture for %s pages', (theme) => {
  const file = `docs/pictures/rollout-${theme}.svg`;
  const texts = [...readFileSync(file, 'utf8').matchAll(/>([^<]+)<\/tspan>/g)].map(
    ([, text]) => text,
  );

  expect(readFileSync('README.md', 'utf8')).toContain(file);
  expect(texts.join('\n')).toContain('shop → version 2');
  expect(texts.join('\n')).toContain('endpoint-03 was stopped');
});
