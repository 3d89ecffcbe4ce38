@testable import Engine

extension ResponseReaderTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let length = "Content-Length: 4\r\n\r\n"
    private static let chunked = "Transfer-Encoding: chunked\r\n\r\n"

    static let answers: [Answer] = [
        Answer(name: "by length", text: ok + length + "tile"),
        Answer(name: "nothing, by length", text: ok + "Content-Length: 0\r\n\r\n", body: ""),
        Answer(name: "bare line feeds", text: "HTTP/1.1 200 OK\nContent-Length: 4\n\ntile"),
        Answer(name: "no reason", text: "HTTP/1.1 200\r\n" + length + "tile"),
        Answer(name: "chunks", text: ok + chunked + "2\r\nti\r\n2\r\nle\r\n0\r\n\r\n"),
        Answer(
            name: "chunks with extensions and trailers",
            text: ok + chunked + "004;a=\"b\"\r\ntile\r\n0\r\nX-After: 1\r\nY: 2\r\n\r\n"),
        Answer(
            name: "chunks before length",
            text: ok + "Content-Length: 99\r\n" + chunked + "4\r\ntile\r\n0\r\n\r\n"),
        Answer(
            name: "until close", text: ok + "\r\ntile", keepsAlive: false, isWhole: true),
        Answer(name: "HTTP/1.0", text: "HTTP/1.0 200 OK\r\n" + length + "tile", keepsAlive: false),
        Answer(
            name: "HTTP/1.0, kept",
            text: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n" + length + "tile"),
        Answer(
            name: "to be closed", text: ok + "Connection: close\r\n" + length + "tile",
            keepsAlive: false),
        Answer(
            name: "interim answers",
            text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok
                + length + "tile"),
        Answer(name: "204", text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, body: ""),
        Answer(
            name: "304 with a length", text: "HTTP/1.1 304 Not Modified\r\n" + length, status: 304,
            body: ""),
        Answer(
            name: "404", text: "HTTP/1.1 404 Not Found\r\n" + length + "none", status: 404,
            body: "none"),
        Answer(name: "more behind it", text: ok + length + "tilemore", left: 4),
        Answer(name: "the next answer behind it", text: ok + length + "tile" + ok, left: 17),
        Answer(name: "a folded line", text: ok + "X: a\r\n b: c\r\n" + length + "tile"),
        Answer(
            name: "length twice, the same", text: ok + "Content-Length: 4\r\n" + length + "tile"),

        Answer(name: "nothing at all", text: " ", status: 0, body: "", isWhole: false),
        Answer(
            name: "cut off in the status line", text: "HTTP/1.1 20", status: 0, body: "",
            isWhole: false),
        Answer(name: "cut off in the head", text: ok + "Content-Le", body: "", isWhole: false),
        Answer(name: "cut off in the body", text: ok + length + "ti", body: "ti", isWhole: false),
        Answer(
            name: "cut off in a chunk", text: ok + chunked + "4\r\nti", body: "ti",
            isWhole: false),
        Answer(
            name: "cut off before the last chunk", text: ok + chunked + "4\r\ntile\r\n",
            isWhole: false),

        Answer(name: "no HTTP", text: "SSH-2.0-OpenSSH_9.2\r\n", defect: .notHTTP),
        Answer(name: "HTTP/0.9", text: "<html>\r\n", defect: .notHTTP),
        Answer(name: "HTTP/2 in words", text: "HTTP/2.0 200 OK\r\n\r\n", defect: .notHTTP),
        Answer(name: "a status of two digits", text: "HTTP/1.1 20 OK\r\n\r\n", defect: .notHTTP),
        Answer(name: "a status below 100", text: "HTTP/1.1 099 OK\r\n\r\n", defect: .notHTTP),
        Answer(name: "a head without a status line", text: "\r\n", defect: .notHTTP),
        Answer(name: "no colon", text: ok + "Nonsense\r\n" + length, defect: .header),
        Answer(name: "no name", text: ok + ": x\r\n" + length, defect: .header),
        Answer(
            name: "no number", text: ok + "Content-Length: four\r\n\r\ntile", defect: .contentLength
        ),
        Answer(
            name: "less than nothing", text: ok + "Content-Length: -4\r\n\r\n",
            defect: .contentLength),
        Answer(
            name: "two lengths", text: ok + "Content-Length: 5\r\n" + length + "tile",
            defect: .contentLength),
        Answer(
            name: "a transfer coding nobody asked for",
            text: ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", defect: .encoding),
        Answer(name: "no size", text: ok + chunked + "x\r\n", defect: .chunk),
        Answer(
            name: "a size that overflows", text: ok + chunked + "11112222333344445\r\n",
            defect: .chunk),
        Answer(
            name: "a chunk longer than it says", text: ok + chunked + "2\r\ntile\r\n",
            defect: .chunk),
        Answer(name: "101", text: "HTTP/1.1 101 Switching Protocols\r\n\r\n", defect: .upgrade),
    ]
}
