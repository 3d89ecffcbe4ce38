/// Decoders that were made and are free, by their coding: as many as bodies were under way at once.
/// Reactor thread only.
final class BodyDecoders {
    private var free: [[BodyDecoder]] = Array(repeating: [], count: 8)

    /// Has the body of an answer unpacked that comes packed.
    func prepare(_ body: inout BodyPrefix, _ encoding: AnswerFacts.ContentEncoding) {
        guard encoding != .none else { return }
        guard
            let decoder = free[Int(encoding.rawValue)].popLast() ?? BodyDecoder(encoding)
        else { return body.noteUnknownPacking() }
        decoder.begin()
        body.unpack(with: decoder)
    }

    /// The body is over.
    func release(_ body: inout BodyPrefix) {
        guard let decoder = body.takeDecoder() else { return }
        free[Int(decoder.encoding.rawValue)].append(decoder)
    }
}
