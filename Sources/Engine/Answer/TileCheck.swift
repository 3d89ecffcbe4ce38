package import Metrics
package import Workload

/// The checks of a scenario that look at the body.
package struct TileCheck: Sendable {
    private let format: ChecksPlan.TileFormat
    private let bytesMin: UInt64
    private let bytesMax: UInt64

    package init(_ plan: ChecksPlan) {
        format = plan.tile
        bytesMin = plan.bytesMin.map { UInt64(max(0, $0)) } ?? 0
        bytesMax = plan.bytesMax.map { UInt64(max(0, $0)) } ?? .max
    }

    /// Whether the bytes count, and not their number alone: an encoded body must then be decoded.
    package var needsBody: Bool { format != .none }

    /// What is wrong with a tile; nil when nothing is, or when the answer has no body to check:
    /// any status but 2xx, and 204 and 205.
    ///
    /// - Parameters:
    ///   - prefix: The first bytes of the body, decoded.
    ///   - bodyBytes: Length of the whole body, in the same form.
    ///   - wireBytes: Its length as received, which `min_bytes` and `max_bytes` speak of.
    package func defect(
        status: Int, facts: borrowing AnswerFacts, prefix: UnsafeBufferPointer<UInt8>,
        bodyBytes: UInt64, wireBytes: UInt64
    ) -> TileDefect? {
        guard status >= 200, status < 300, status != 204, status != 205 else { return nil }
        if format != .none, !isOfFormat(facts.contentType, prefix, bodyBytes: bodyBytes) {
            return .format
        }
        if wireBytes < bytesMin { return .tooSmall }
        return wireBytes > bytesMax ? .tooLarge : nil
    }

    private func isOfFormat(
        _ type: AnswerFacts.ContentType, _ prefix: UnsafeBufferPointer<UInt8>, bodyBytes: UInt64
    ) -> Bool {
        if bodyBytes == 0 { return mayBeEmpty(type) }
        let bytes = TileBytes(prefix: prefix, bodyBytes: bodyBytes)
        switch format {
        case .none: return true
        case .png: return bytes == .png
        case .jpeg: return bytes == .jpeg
        case .webp: return bytes == .webp
        case .mvt: return bytes == .mvt
        case .auto:
            // Images that are not known by their bytes are believed by their type.
            return bytes.isTile || type == .image && bytes == .unknown
        }
    }

    /// A vector tile without layers is a tile of no bytes; a picture is not.
    private func mayBeEmpty(_ type: AnswerFacts.ContentType) -> Bool {
        switch format {
        case .none, .mvt: return true
        case .png, .jpeg, .webp: return false
        case .auto:
            switch type {
            case .mvt, .octetStream, .other, .none: return true
            default: return false
            }
        }
    }
}
