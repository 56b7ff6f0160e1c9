import { describe, expect, it } from '@jest/globals';
import { checkData, widgetContent, widgetTypeOf } from './widget.rules.js';

describe(widgetContent.name, () => {
  it.each([
    [
      '/poll Lunch?\nPizza\n- Pasta\n\n* Soup',
      'poll',
      {
        question: 'Lunch?',
        options: ['Pizza', 'Pasta', 'Soup'],
      },
    ],
    ['/poll', 'poll', { question: '', options: [] }],
    [
      '/todo Party\nCake: with candles\nMusic',
      'todo',
      {
        task_list_title: 'Party',
        tasks: [
          { task: 'Cake', desc: 'with candles' },
          { task: 'Music', desc: '' },
        ],
      },
    ],
  ])('makes a widget of %j', (content, type, data) => {
    const made = widgetContent(content);
    expect(JSON.parse(made ?? '')).toEqual({ widget_type: type, extra_data: data });
    expect(widgetTypeOf(made)).toBe(type);
  });

  it.each(['poll', ' /poll', '/pollen', '/me polls', ''])('makes none of %j', (content) => {
    expect(widgetContent(content)).toBeNull();
  });
});

describe(widgetTypeOf.name, () => {
  it.each([null, '', '{', '{"widget_type":"zform"}', '5'])('is null for %j', (first) => {
    expect(widgetTypeOf(first)).toBeNull();
  });
});

describe(checkData.name, () => {
  it.each([
    ['poll', { type: 'vote', key: 'canned,0', vote: 1 }, false, 'accepted'],
    ['poll', { type: 'vote', key: 'canned,0', vote: 2 }, false, 'invalid'],
    ['poll', { type: 'new_option', idx: 1, option: 'Pie' }, false, 'accepted'],
    ['poll', { type: 'question', question: 'Tea?' }, true, 'accepted'],
    ['poll', { type: 'question', question: 'Tea?' }, false, 'only the author'],
    ['poll', { type: 'strike', key: '5' }, false, 'unknown type'],
    ['poll', { type: 'constructor' }, false, 'unknown type'],
    ['poll', 'vote', false, 'unknown type'],
    [
      'todo',
      { type: 'new_task', key: 2, task: 'x', desc: '', completed: false },
      false,
      'accepted',
    ],
    ['todo', { type: 'strike', key: '5,2' }, false, 'accepted'],
    ['todo', { type: 'strike' }, false, 'invalid'],
    ['todo', { type: 'new_task_list_title', title: 'x' }, false, 'only the author'],
  ] as const)('decides for %s: %j of the author: %s', (widget, data, isAuthor, expected) => {
    expect(checkData(widget, data, isAuthor)).toBe(expected);
  });
});
