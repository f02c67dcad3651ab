/** JSON is read by a parser of its own, for speed: what it says must be what the same text says as YAML. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { readYaml, type TreePath } from './index.ts'

/** A comment at the end makes the same text YAML and no JSON. */
const asYaml = (text: string): ReturnType<typeof readYaml> => readYaml(`${text}\n# YAML`)

function pathsOf(value: unknown, path: TreePath = []): TreePath[] {
  const inner = Array.isArray(value)
    ? value.map((one, i) => pathsOf(one, [...path, i]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, one]) => pathsOf(one, [...path, key]))
      : []
  return [path, ...inner.flat()]
}

describe('a JSON text', () => {
  test('has the values and positions that it has as YAML', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify([value], undefined, indent)
        const [json, yaml] = [readYaml(text), asYaml(text)]
        if (!yaml.readable) return // A tab before a value, or a depth of more than 50.
        expect(json.value).toEqual(JSON.parse(text))
        expect(json.value).toEqual(yaml.value)
        for (const path of pathsOf(value, [0])) {
          expect(json.locate(path, 'key')).toEqual(yaml.locate(path, 'key'))
          expect(json.locate(path, 'value')).toEqual(yaml.locate(path, 'value'))
        }
      }),
    )
  })

  test('may name a key __proto__, and a key twice, which is said once', () => {
    const text = '{"__proto__": {"a": 1}, "b": {"c": 1,\n "c": 2}}'
    const [json, yaml] = [readYaml(text), asYaml(text)]
    expect(Object.keys(json.value as object)).toEqual(['__proto__', 'b'])
    expect(json.issues).toEqual(yaml.issues)
    expect(json.issues).toMatchObject([{ path: ['b', 'c'], position: { line: 2, column: 2 } }])
  })

  test('that is spoilt is judged as YAML, whatever was repeated before', () => {
    for (const text of ['{"a": 1, "a": 2, "b": [}', '[1, 2', '{"a" 1}', '[1] [2]', '['.repeat(100_000), '[\u0001]']) {
      const [json, yaml] = [readYaml(text), asYaml(text)]
      expect([text.slice(0, 20), json.readable]).toEqual([text.slice(0, 20), yaml.readable])
      expect(json.issues.length).toBe(1)
    }
    expect(readYaml('{a: 1, b: [0x10,]} # flow').value).toEqual({ a: 1, b: [16] })
  })
})
