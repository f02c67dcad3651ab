/** Archives: the same as the folder that they are made of; refused, cut and bloated ones. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar, type TarHeader } from 'modern-tar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../core/base/issue.ts'
import { type CollectedFolder, collectedInput } from './collected-folder.ts'
import { TAR_XZ, zipOf } from './packed.test-data.ts'

const POD = path.resolve(import.meta.dirname, '../../../tests/doctor/pod')
const LONG = `${'long-'.repeat(30)}name.txt`

let at: string
beforeAll(() => {
  at = mkdtempSync(path.join(tmpdir(), 'rocelab-archives-'))
  cpSync(POD, path.join(at, 'pod'), { recursive: true })
  writeFileSync(path.join(at, 'pod', 'gpu1', LONG), 'long\n')
  mkdirSync(path.join(at, 'pod', 'gpu3'))
})
afterAll(() => rmSync(at, { recursive: true, force: true }))

const tar = (...args: readonly string[]): void => void execFileSync('tar', args, { cwd: at })
const open = (name: string, limits?: { files: number; bytes: number }): Promise<CollectedFolder> =>
  collectedInput(at, name, limits)

/** All that is read, with names and texts. */
const contentOf = (collected: CollectedFolder): unknown => ({
  edges: collected.edges,
  devices: [...collected.files()].map(([device, files]) => [
    device,
    files.map(({ file, text, command, timeNs }) => [file, text, command, timeNs]),
  ]),
})

/** An archive of entries with any names and kinds. */
async function archive(name: string, entries: readonly Partial<TarHeader>[], text = 'text\n'): Promise<void> {
  const packed = await packTar(
    entries.map((header) => {
      const isFile = (header.type ?? 'file') === 'file'
      return { header: { name: 'x', size: isFile ? text.length : 0, ...header }, ...(isFile ? { body: text } : {}) }
    }),
  )
  writeFileSync(path.join(at, name), packed)
}

const refusal = async (name: string, limits?: { files: number; bytes: number }): Promise<string> => {
  const error: unknown = await open(name, limits).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message
}

describe('an archive', () => {
  test.each([
    ['pod.tar', ['--format=gnu', '-cf', 'pod.tar', 'pod']],
    ['pax.tar', ['--format=pax', '-cf', 'pax.tar', 'pod']],
    ['pod.tar.gz', ['-czf', 'pod.tar.gz', 'pod']],
    ['inner.tgz', ['-czf', 'inner.tgz', '-C', 'pod', '.']],
  ])('%s says the same as the folder that is in it', async (name, args) => {
    tar(...args)
    expect(contentOf(await open(name))).toEqual(contentOf(await open('pod')))
    expect(readdirSync(at).filter((each) => each.includes('tmp'))).toEqual([])
  })

  test('of a folder with a list and notes beside it says the same, too', async () => {
    cpSync(path.join(at, 'pod'), path.join(at, 'noted', 'pod'), { recursive: true })
    writeFileSync(path.join(at, 'noted', 'pod', 'notes.txt'), 'ours\n')
    tar('-czf', 'noted.tgz', '-C', 'noted', 'pod')
    expect(contentOf(await open('noted.tgz'))).toEqual(contentOf(await open('pod')))
  })

  test('in a folder is a device, and in the folder of a device a folder', async () => {
    mkdirSync(path.join(at, 'mixed', 'gpu2'), { recursive: true })
    tar('-czf', 'mixed/gpu1.tar.gz', '-C', 'pod', 'gpu1')
    tar('-cf', 'mixed/gpu2/show-tech.tar', '-C', 'pod/gpu2', '.')
    const read = [...(await open('mixed')).files()].map(([device, files]) => [device, files.length, files[0]!.file])
    expect(read).toEqual([
      ['gpu1', 5, 'gpu1.tar.gz/gpu1/ethtool-a.txt'],
      ['gpu2', 4, 'gpu2/show-tech.tar/ethtool-a.txt'],
    ])
    tar('-czf', 'mixed.tgz', 'mixed')
    expect(contentOf(await open('mixed.tgz'))).toEqual(contentOf(await open('mixed')))
  })

  test.each([
    ['an absolute path', [{ name: '/etc/passwd' }]],
    ['a path that leads out', [{ name: 'gpu1/../../x' }]],
    ['a named pipe', [{ name: 'gpu1/pipe', type: 'fifo' }]],
    ['a device', [{ name: 'gpu1/null', type: 'character-device' }]],
  ] as const)('with %s is refused', async (what, entries) => {
    await archive('bad.tar', entries)
    expect(await refusal('bad.tar')).toContain(what)
  })

  test('with links leaves them out and says so', async () => {
    await archive('links.tar', [
      { name: 'gpu1/a.txt' },
      { name: 'gpu1/link', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'gpu1/hard', type: 'link', linkname: 'gpu1/a.txt' },
    ])
    const { skipped, devices } = await open('links.tar')
    expect([devices, skipped.map(({ file }) => file)]).toEqual([['gpu1'], ['gpu1/link', 'gpu1/hard']])
  })

  test.each([300, 700, 2000, 6000])('that is cut after %d bytes is reported', async (length) => {
    tar('-cf', 'pod.tar', 'pod')
    writeFileSync(path.join(at, 'cut.tar'), readFileSync(path.join(at, 'pod.tar')).subarray(0, length))
    expect(await refusal('cut.tar')).toContain('a whole archive')
  })

  test('whose gzip is cut, whose header is damaged, or that is none is reported', async () => {
    const bytes = readFileSync(path.join(at, 'pod.tar'))
    writeFileSync(path.join(at, 'cut.tar.gz'), gzipSync(bytes).subarray(0, 400))
    const damaged = Buffer.from(bytes)
    damaged[5]! ^= 1
    writeFileSync(path.join(at, 'damaged.tar'), damaged)
    writeFileSync(path.join(at, 'none.tgz'), 'no archive\n'.repeat(200))
    for (const name of ['cut.tar.gz', 'damaged.tar', 'none.tgz'])
      expect(await refusal(name)).toContain('a whole archive')
  })

  test('is counted as its bytes come: a small one that unpacks to much is stopped', async () => {
    await archive('bomb.tar', [{ name: 'gpu1/zeros.txt' }], '0'.repeat(20e6))
    writeFileSync(path.join(at, 'bomb.tgz'), gzipSync(readFileSync(path.join(at, 'bomb.tar'))))
    expect(readFileSync(path.join(at, 'bomb.tgz')).length).toBeLessThan(50_000)
    expect(await refusal('bomb.tgz', { files: 10, bytes: 1e6 })).toContain('at most 10 files')
    await archive(
      'many.tar',
      Array.from({ length: 20 }, (_, i) => ({ name: `gpu1/${i}.txt` })),
    )
    expect(await refusal('many.tar', { files: 10, bytes: 1e6 })).toContain('at most 10 files')
  })
})

describe('other archives and packed files', () => {
  const pod = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(path.join(at, 'pod'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => {
          const file = path.join(entry.parentPath, entry.name)
          return [path.relative(at, file), readFileSync(file, 'utf8')]
        }),
    )

  test('a zip archive says the same as the folder that is in it', async () => {
    writeFileSync(path.join(at, 'pod.zip'), zipOf({ 'pod/gpu3/': '', ...pod() }))
    expect(contentOf(await open('pod.zip'))).toEqual(contentOf(await open('pod')))
  })

  test('an archive packed by xz is read, by its bytes and not by its name', async () => {
    for (const name of ['a.tar.xz', 'b.txz', 'c.gz']) {
      writeFileSync(path.join(at, name), Buffer.from(TAR_XZ, 'base64'))
      const read = [...(await open(name)).files()].map(([device, files]) => [device, files.map(({ text }) => text)])
      expect(read).toEqual([['gpu1', ['text\n']]])
    }
  })

  test('an archive packed by xz in another one is read, too', async () => {
    mkdirSync(path.join(at, 'nested'), { recursive: true })
    writeFileSync(path.join(at, 'nested', 'gpu2.tar.xz'), Buffer.from(TAR_XZ, 'base64'))
    writeFileSync(path.join(at, 'nested', 'gpu3.tar.xz'), Buffer.from(TAR_XZ, 'base64').subarray(0, 90))
    tar('-cf', 'nested.tar', '-C', 'nested', '.')
    const { devices, skipped } = await open('nested.tar')
    expect([devices, skipped.map(({ file }) => file)]).toEqual([['gpu2'], ['gpu3.tar.xz']])
  })

  test('a packed file is a file, in a folder, in an archive and alone', async () => {
    mkdirSync(path.join(at, 'packed', 'gpu1'), { recursive: true })
    writeFileSync(path.join(at, 'packed', 'gpu1', 'a.txt.gz'), gzipSync('text\n'))
    writeFileSync(path.join(at, 'packed', 'gpu1', 'b.zip'), zipOf({ 'c.txt': 'inner\n' }))
    writeFileSync(path.join(at, 'packed', 'gpu1', 'c.bz2'), 'BZh91AY&SY')
    writeFileSync(path.join(at, 'packed', 'gpu1', 'd.tgz'), 'no archive')
    const collected = await open('packed')
    expect([...collected.files()].map(([, files]) => files.map(({ file, text }) => [file, text]))).toEqual([
      [
        ['gpu1/a.txt.gz', 'text\n'],
        ['gpu1/b.zip/c.txt', 'inner\n'],
      ],
    ])
    expect(collected.skipped.map(({ file }) => file)).toEqual(['gpu1/c.bz2', 'gpu1/d.tgz'])
    tar('-czf', 'packed.tgz', 'packed')
    expect(contentOf(await open('packed.tgz'))).toEqual(contentOf(collected))
    writeFileSync(path.join(at, 'one.cfg.gz'), gzipSync('text\n'))
    expect([...(await open('one.cfg.gz')).files()].map(([, files]) => files[0]?.text)).toEqual(['text\n'])
  })

  test('a zip archive that leads out, lies about its sizes or is cut is refused', async () => {
    const good = zipOf({ 'gpu1/a.txt': 'text\n'.repeat(500) })
    writeFileSync(path.join(at, 'out.zip'), zipOf({ '../x': 'x' }))
    const lies = Buffer.from(good)
    lies.writeUInt32LE(5, good.indexOf('PK\u0001\u0002') + 24)
    writeFileSync(path.join(at, 'lies.zip'), lies)
    writeFileSync(path.join(at, 'cut.zip'), good.subarray(0, good.length - 9))
    for (const name of ['out.zip', 'lies.zip', 'cut.zip']) expect((await refusal(name)).length).toBeGreaterThan(0)
  })

  test('any damage is an answer or a mistake of the input', async () => {
    const whole = [zipOf({ 'gpu1/a.txt': 'text\n' }), Buffer.from(TAR_XZ, 'base64'), gzipSync('text\n'.repeat(9))]
    const damage = fc.tuple(
      fc.constantFrom(...whole),
      fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 4 }),
      fc.nat(2000),
    )
    await fc.assert(
      fc.asyncProperty(damage, async ([bytes, changes, length]) => {
        const spoilt = Buffer.from(bytes.subarray(0, Math.max(1, bytes.length - (length % 40))))
        for (const [offset, value] of changes) spoilt[offset % spoilt.length] = value
        writeFileSync(path.join(at, 'spoilt.gz'), spoilt)
        await open('spoilt.gz').then(
          (collected) => [...collected.files()],
          (error: unknown) => expect(error).toBeInstanceOf(InputError),
        )
      }),
      { numRuns: Number(process.env['ARCHIVE_RUNS'] ?? 200) },
    )
  }, 600_000)
})

test('links in a folder are skipped, and named', async () => {
  mkdirSync(path.join(at, 'linked', 'gpu1'), { recursive: true })
  writeFileSync(path.join(at, 'linked', 'gpu1', 'a.txt'), 'a\n')
  symlinkSync('/etc/passwd', path.join(at, 'linked', 'gpu1', 'b.txt'))
  expect((await open('linked')).skipped).toEqual([{ file: 'gpu1/b.txt', why: 'a symbolic link' }])
})
