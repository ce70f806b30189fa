def attend(x, w): </pre><script>alert(1)</script>
