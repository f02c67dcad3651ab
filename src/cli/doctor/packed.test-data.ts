/** Archives for tests. */
import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of files with texts. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [file, text] of Object.entries(files)) {
    const packed = deflateRawSync(text)
    const name = Buffer.from(file)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(crc32(text), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(Buffer.byteLength(text), 18)
    head.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, name, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), head, rest, name]))
    bodies.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\u0005\u0006'), end])
}

/** gpu1/a.txt with "text" in a tar archive, packed by xz. */
export const TAR_XZ =
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AHVdADOcCv5+1Nbu3VjVVG02gcGNPynREsSu9DW4KUW5ccI98bja19YrB/esEd05o32SzSjlA0' +
  '1fx31m5MQ27+SkfXHXxHP1CuN2xM6p0pcm5S+soH51TiQ6X4+Y7ba0V4D8mMvyvwCw6zTq1KZ+AKDbtqgNYVtfAAAAAAAKWOwLouTv2AABkQGA' +
  'UAAAAKDqqbHEZ/sCAAAAAARZWg=='
